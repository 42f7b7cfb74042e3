import type { Sql } from '../../db/index.ts';
import { NUDGED_TICKETS, sqlList, TRAVELLING_MESSAGES } from '../../domain/index.ts';
import { NUDGE_KEY_PREFIX } from './nudge-text.ts';
import type { NudgeSettings } from './settings.ts';

/** Exactly the condition of the partial indexes; any other spelling would read the whole table. */
export const OPEN = `r.recipient_type = 'agent' AND r.status IN ${sqlList(NUDGED_TICKETS)}`;

/** In the order of the indexes, which is also oldest first. */
export const DUE_ORDER = 'r.last_nudged_at NULLS FIRST, r.created_at';

const seconds = (count: number): string => `make_interval(secs => ${Number(count)})`;

/** Reminders since the ticket was last changed. */
const UNANSWERED = `(CASE WHEN r.updated_at > r.last_nudged_at THEN 0 ELSE r.nudge_count END)`;

const MAX_WAIT_SECONDS = 24 * 3600;

/**
 * The rules of the sweep as SQL, built from numbers that were checked when they were read. "Never announced" and
 * "announced before" are two conditions, because each is a range of an index and their disjunction is not. Times are
 * the database's.
 */
export function dueRules(settings: NudgeSettings) {
  const { staleAfterSeconds, renudgeAfterSeconds, agentSpacingSeconds, heartbeatMaxAgeSeconds } = settings;
  const stale = `r.created_at < now() - ${seconds(staleAfterSeconds)}`;
  const wait = settings.backoff
    ? ` AND r.last_nudged_at < now() - make_interval(secs => least(${MAX_WAIT_SECONDS}, ${renudgeAfterSeconds} *
        power(2, least(greatest(${UNANSWERED}, 1) - 1, 20))))`
    : '';
  return {
    never: `${OPEN} AND r.last_nudged_at IS NULL AND ${stale}`,
    neverDueAt: `r.created_at + ${seconds(staleAfterSeconds)}`,
    again: `${OPEN} AND r.last_nudged_at < now() - ${seconds(renudgeAfterSeconds)} AND ${stale}${wait}`,
    againDueAt: `r.last_nudged_at + ${seconds(renudgeAfterSeconds)}`,
    unanswered: UNANSWERED,
    expiresAt: `now() + ${seconds(renudgeAfterSeconds)}`,
    /** Whether workspace `w` may be nudged now: `ready`, or why not. */
    state: `(CASE WHEN w.status <> 'online' THEN 'offline'
        WHEN w.paused_until > now() THEN 'paused'
        WHEN w.active_tasks > 0 THEN 'busy'
        ${heartbeatMaxAgeSeconds ? `WHEN w.last_heartbeat_at < now() - ${seconds(heartbeatMaxAgeSeconds)} THEN 'offline'` : ''}
        ${agentSpacingSeconds ? `WHEN w.last_inbox_nudge_at >= now() - ${seconds(agentSpacingSeconds)} THEN 'spacing'` : ''}
        WHEN EXISTS (SELECT FROM a2a_queue q WHERE q.workspace_id = w.id AND q.status IN ${sqlList(TRAVELLING_MESSAGES)}
          AND q.idempotency_key IS NOT NULL AND starts_with(q.idempotency_key, '${NUDGE_KEY_PREFIX}')
          AND (q.expires_at IS NULL OR q.expires_at > now())) THEN 'queued'
        ELSE 'ready' END)`,
  };
}

export type DueRules = ReturnType<typeof dueRules>;

export type AgentState = 'ready' | 'offline' | 'paused' | 'busy' | 'spacing' | 'queued';

/** Called just before a nudge is handed out. Returns a reason to drop it if the inbox is empty by now. */
export async function nothingToNudge(
  sql: Sql,
  { workspaceId }: { workspaceId: string },
): Promise<string | undefined> {
  const { rowCount } = await sql.query(
    `SELECT FROM requests r WHERE r.recipient_workspace_id = $1 AND ${OPEN} LIMIT 1`,
    [workspaceId],
  );
  return rowCount === 0 ? 'nothing to nudge' : undefined;
}
