import { isRouseError } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { PartyType } from '../../domain/index.ts';
import { INFO_PRIORITY, type NudgeRules } from './nudge-rules.ts';
import { escalationBody } from './nudge-text.ts';

interface Escalated {
  id: string;
  org_id: string;
  requester_type: PartyType;
  requester_id: string;
  nudge_count: number;
}

const MAX_AT_ONCE = 100;

/**
 * For items of these agents that are due again after the last reminder allowed: notifies their requester, once. People
 * see the mark.
 */
export async function escalate(
  sql: Sql,
  agents: readonly string[],
  { rules, settings, enqueueAll }: NudgeRules,
): Promise<number> {
  if (settings.maxNudges === 0) return 0;
  const { rows } = await sql.query<Escalated>(
    `UPDATE requests r SET escalated_at = now() WHERE r.id = ANY(ARRAY(
       SELECT due.id FROM unnest($1::uuid[]) AS a (id) CROSS JOIN LATERAL (
         SELECT r.id FROM requests r WHERE r.recipient_workspace_id = a.id AND ${rules.again}
           AND r.escalated_at IS NULL AND ${rules.unanswered} >= $2 LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED) due))
     RETURNING r.id, r.org_id, r.requester_type, r.requester_id, r.nudge_count`,
    [agents, settings.maxNudges],
  );
  for (const row of rows) if (row.requester_type === 'agent') await notifyRequester(sql, enqueueAll, row);
  return rows.length;
}

/** A requester that is gone is not notified. */
async function notifyRequester(
  sql: Sql,
  enqueueAll: NudgeRules['enqueueAll'],
  row: Escalated,
): Promise<void> {
  try {
    await sql.transaction((tx) =>
      enqueueAll(tx, [
        {
          orgId: row.org_id,
          workspaceId: row.requester_id,
          priority: INFO_PRIORITY,
          method: 'message/send',
          body: escalationBody(row.id, row.nudge_count),
          kind: 'request_escalated',
          idempotencyKey: `request-escalated:${row.id}`,
          expiresAt: null,
        },
      ]),
    );
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
  }
}
