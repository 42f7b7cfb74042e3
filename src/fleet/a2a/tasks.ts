import type { Sql, SqlValue } from '../../db/index.ts';
import type { A2aTask } from '../../domain/index.ts';
import type { PageCursor } from '../delivery/index.ts';
import { type Identity, partyOf } from '../identity/index.ts';
import { TASK_COLUMNS, TASKS, type TaskRow } from './task.ts';

/** Owner of the tasks that one caller sent to one agent. No one sees those of others. */
export interface TaskOwner {
  caller: Identity;
  workspaceId: string;
}

const OWNED = `t.workspace_id = $1::uuid AND t.caller_id IS NOT DISTINCT FROM $2::uuid
  AND t.caller_user IS NOT DISTINCT FROM $3`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function ownerParams({ caller, workspaceId }: TaskOwner): SqlValue[] {
  const party = partyOf(caller);
  return [workspaceId, party.type === 'agent' ? party.id : null, party.type === 'user' ? party.id : null];
}

export async function findTask(sql: Sql, owner: TaskOwner, id: string): Promise<TaskRow | undefined> {
  if (!UUID.test(id)) return undefined;
  const { rows } = await sql.query<TaskRow>(
    `SELECT ${TASK_COLUMNS} FROM ${TASKS} WHERE ${OWNED} AND t.id = $4::uuid`,
    [...ownerParams(owner), id],
  );
  return rows[0];
}

/** Takes a message back; possible only before it was handed out. False: too late. */
export async function withdrawTask(sql: Sql, owner: TaskOwner, id: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE a2a_queue t SET status = 'dropped', outcome = 'cancelled', outcome_at = now(), completed_at = now(),
        next_attempt_at = NULL, last_error = 'cancelled by its sender'
      WHERE ${OWNED} AND t.id = $4::uuid AND t.status = 'queued'`,
    [...ownerParams(owner), id],
  );
  return rowCount === 1;
}

export interface TaskQuery {
  contextId?: string | undefined;
  state?: A2aTask | undefined;
  changedAfter?: Date | undefined;
  limit: number;
  after?: PageCursor | undefined;
}

export interface TaskPage {
  tasks: TaskRow[];
  /** Where the next page begins; undefined on the last page. */
  next: PageCursor | undefined;
  total: number;
}

/** Newest first. */
export async function listTasks(sql: Sql, owner: TaskOwner, query: TaskQuery): Promise<TaskPage> {
  const filter = `${OWNED} AND ($4::text IS NULL OR t.context_id = $4) AND ($5::text IS NULL OR t.state = $5)
    AND ($6::timestamptz IS NULL OR t.changed_at > $6)`;
  const filterParams = [
    ...ownerParams(owner),
    query.contextId ?? null,
    query.state ?? null,
    query.changedAfter ?? null,
  ];
  const { rows: counted } = await sql.query<{ total: number }>(
    `SELECT count(*)::int AS total FROM ${TASKS} WHERE ${filter}`,
    filterParams,
  );
  const { rows } = await sql.query<TaskRow & { at: string }>(
    `SELECT ${TASK_COLUMNS}, enqueued_at::text AS at FROM ${TASKS} WHERE ${filter}
        AND ($7::timestamptz IS NULL OR (enqueued_at, id) < ($7::timestamptz, $8::uuid))
      ORDER BY enqueued_at DESC, id DESC LIMIT $9::int`,
    [...filterParams, query.after?.at ?? null, query.after?.id ?? null, query.limit + 1],
  );
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    tasks: page.map(({ at, ...row }) => row),
    next: last && { at: last.at, id: last.id },
    total: counted[0]!.total,
  };
}
