import { newUuid } from '../../base/index.ts';
import { asJson, type Sql } from '../../db/index.ts';
import { DELIVERY_CHANNEL } from '../delivery/index.ts';

/** Notifies which call was answered. */
export const CALL_CHANNEL = 'rouse_call';

const MAX_AT_ONCE = 10;

export interface NewCall {
  orgId: string;
  workspaceId: string;
  /** Who asks, for the logs of both ends. */
  caller: string;
  method: string;
  /** The gateway's path, with its query. */
  path: string;
  body: unknown;
  /** How long a gateway may take it. */
  seconds: number;
}

export interface HandedCall {
  id: string;
  caller: string;
  method: string;
  path: string;
  body: unknown;
}

/** Stores the call and notifies the held heartbeat. */
export async function makeCall(sql: Sql, call: NewCall): Promise<string> {
  const id = newUuid();
  await sql.transaction(async (tx) => {
    await tx.query(
      `INSERT INTO gateway_calls (id, org_id, workspace_id, caller, method, path, body, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(secs => $8::float8))`,
      [
        id,
        call.orgId,
        call.workspaceId,
        call.caller,
        call.method,
        call.path,
        call.body === undefined ? null : asJson(call.body),
        call.seconds,
      ],
    );
    await tx.query(`SELECT pg_notify('${DELIVERY_CHANNEL}', $1)`, [call.workspaceId]);
  });
  return id;
}

/** Hands the waiting calls to this session, for good. */
export async function takeCalls(
  sql: Sql,
  { workspaceId, sessionId }: { workspaceId: string; sessionId: string },
): Promise<HandedCall[]> {
  const { rows } = await sql.query<HandedCall>(
    `UPDATE gateway_calls SET taken_by = $2, taken_at = now() WHERE id = ANY(ARRAY(
         SELECT id FROM gateway_calls WHERE workspace_id = $1::uuid AND taken_at IS NULL AND expires_at > now()
           ORDER BY made_at LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED))
       RETURNING id, caller, method, path, body`,
    [workspaceId, sessionId],
  );
  return rows;
}

/** False: it was answered before, or was never handed to this agent. */
export async function answerCall(
  sql: Sql,
  { id, workspaceId, status, answer }: { id: string; workspaceId: string; status: number; answer: unknown },
): Promise<boolean> {
  return sql.transaction(async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE gateway_calls SET answered_at = now(), status = $3, answer = $4
        WHERE id = $1::uuid AND workspace_id = $2::uuid AND taken_at IS NOT NULL AND answered_at IS NULL`,
      [id, workspaceId, status, asJson(answer ?? null)],
    );
    if (rowCount === 1) await tx.query(`SELECT pg_notify('${CALL_CHANNEL}', $1)`, [id]);
    return rowCount === 1;
  });
}

export interface CallState {
  taken: boolean;
  status: number | null;
  answer: unknown;
}

export async function callState(sql: Sql, id: string): Promise<CallState | undefined> {
  const { rows } = await sql.query<CallState>(
    'SELECT taken_at IS NOT NULL AS taken, status, answer FROM gateway_calls WHERE id = $1::uuid',
    [id],
  );
  return rows[0];
}

/** True if no one had taken it; then no one will. */
export async function withdrawCall(sql: Sql, id: string): Promise<boolean> {
  const { rowCount } = await sql.query('DELETE FROM gateway_calls WHERE id = $1::uuid AND taken_at IS NULL', [
    id,
  ]);
  return rowCount === 1;
}

/** Removes the texts of a finished call. Who asked what of whom is kept until it is old. */
export async function forgetWords(sql: Sql, id: string): Promise<void> {
  await sql.query('UPDATE gateway_calls SET body = NULL, answer = NULL WHERE id = $1::uuid', [id]);
}
