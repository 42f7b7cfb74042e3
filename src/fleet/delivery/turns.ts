import { asJson, type Sql } from '../../db/index.ts';
import { sqlList, TURNS_GOING_ON } from '../../domain/index.ts';
import type { TurnReport } from '../../wire/index.ts';

/**
 * Records what the gateway reports about a message's turn. An end is final: later reports change nothing. Of two other
 * reports the later one counts.
 */
export async function recordTurn(sql: Sql, workspaceId: string, report: TurnReport): Promise<void> {
  const { id, request_id, state, at, ...facts } = report;
  await sql.query(
    `UPDATE a2a_queue SET turn_state = $4, turn_at = $5::timestamptz, turn = $6::jsonb
      WHERE id = $1::uuid AND workspace_id = $2::uuid AND gateway_request_id = $3 AND ${GOES_ON}
        AND (turn_at IS NULL OR turn_at <= $5::timestamptz)`,
    [id, workspaceId, request_id, state, new Date(at), asJson(facts)],
    { prepared: true },
  );
}

const GOES_ON = `turn_state IN ${sqlList(TURNS_GOING_ON)}`;

/** The session that had the messages is no longer the agent's, so the ends of their turns will never be reported. */
export async function giveUpTurns(
  sql: Sql,
  { workspaceId, sessionId, detail }: { workspaceId: string; sessionId: string | null; detail: string },
): Promise<void> {
  await sql.query(
    `UPDATE a2a_queue SET turn_state = 'lost', turn_at = now(), turn = jsonb_build_object('detail', $3::text)
      WHERE workspace_id = $1::uuid AND claimed_by IS DISTINCT FROM $2 AND ${GOES_ON}`,
    [workspaceId, sessionId, detail],
  );
}
