import { asJson, type SqlValue } from '../../db/index.ts';
import { codesWith, isName, sqlIs, WORKSPACE_STATUSES, type WorkspaceStatus } from '../../domain/index.ts';
import type { HeartbeatBody } from '../../wire/index.ts';
import { type AgentIdentity, isLiveToken } from '../identity/index.ts';

/** A heartbeat and its sender. */
export interface SentBeat {
  caller: AgentIdentity;
  body: HeartbeatBody;
}

/** What is known about an agent after its heartbeat. */
export interface BeatRow {
  id: string;
  before: WorkspaceStatus;
  status: WorkspaceStatus;
  /** Whether messages may be waiting for it. */
  waiting: boolean;
  /** Whether a remote call is waiting for it. */
  called: boolean;
}

/** At most one heartbeat per agent. */
export function beatValues(beats: readonly SentBeat[]): SqlValue[] {
  return [asJson(beats.map(asRow)), beats.map(({ caller }) => caller.workspaceId)];
}

const asRow = ({ caller, body }: SentBeat) => ({
  workspace: caller.workspaceId,
  token: caller.tokenId,
  session: body.session_id,
  instance: body.instance_id,
  beat: body.beat,
  active_tasks: body.active_tasks,
  accepting: body.accepting,
  current_task: body.current_task,
  error_rate: body.error_rate,
  sample_error: body.sample_error,
  uptime_seconds: body.uptime_seconds,
  wedged: body.runtime_state === 'wedged',
  leaving: body.leaving,
  standing: body.state,
  paused_until: body.paused && (body.paused.until_utc ?? 'infinity'),
  // A gateway older than the grammar of host names keeps the name it was registered with.
  host: body.host !== undefined && isName('host', body.host) ? body.host : undefined,
  host_id: body.host_id,
  version: body.version,
});

/** Bad from one half, good again below a tenth; in between it stays what it was. */
const BAD = '(b.error_rate >= 0.5 OR b.wedged)';
const GOOD = '(b.error_rate < 0.1 AND NOT b.wedged)';

const COMES_ONLINE = sqlIs('w.status', codesWith(WORKSPACE_STATUSES, 'comesOnline'));
const LEAVES = sqlIs('w.status', codesWith(WORKSPACE_STATUSES, 'leaves'));

/**
 * A heartbeat that a later one of the same gateway overtook counts as a sign of life and nothing else. No heartbeat
 * changes a status that people or policies set (paused, hibernating, hibernated, removed). No row: the session is not
 * the agent's, or its token is not valid.
 */
const beatStatement = ({ rows, waits }: { rows: string; waits: string }): string => `
  WITH sent AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS b(workspace uuid, token uuid, session text, instance text,
      beat bigint, active_tasks int, accepting boolean, current_task text, error_rate real, sample_error text,
      uptime_seconds bigint, wedged boolean, leaving boolean, standing text,
      paused_until timestamptz, host text, host_id text, version text) ${rows}),
  seen AS (
    SELECT w.id, w.status AS before,
        w.instance_id IS DISTINCT FROM b.instance OR b.instance IS NULL OR w.beat < b.beat AS fresh,
        CASE WHEN b.leaving THEN
               CASE WHEN ${LEAVES} THEN 'offline'
                    ELSE w.status END
             WHEN ${COMES_ONLINE} THEN
               CASE WHEN ${BAD} THEN 'degraded' ELSE 'online' END
             WHEN w.status = 'online' AND ${BAD} THEN 'degraded'
             WHEN w.status = 'degraded' AND ${GOOD} THEN 'online'
             ELSE w.status END AS after
      FROM sent b JOIN workspaces w ON w.id = b.workspace AND w.session_id = b.session
      WHERE w.id = ANY($2::uuid[]) AND w.status <> 'removed' AND ${isLiveToken('b.token')}
      FOR UPDATE OF w ${waits})
  UPDATE workspaces w SET last_heartbeat_at = now(), left_at = CASE WHEN b.leaving THEN now() END,
      instance_id = CASE WHEN fresh THEN b.instance ELSE w.instance_id END,
      beat = CASE WHEN fresh THEN b.beat ELSE w.beat END,
      active_tasks = CASE WHEN fresh THEN b.active_tasks ELSE w.active_tasks END,
      accepting = CASE WHEN fresh THEN b.accepting ELSE w.accepting END,
      current_task = CASE WHEN fresh THEN b.current_task ELSE w.current_task END,
      error_rate = CASE WHEN fresh THEN b.error_rate ELSE w.error_rate END,
      sample_error = CASE WHEN fresh THEN b.sample_error ELSE w.sample_error END,
      uptime_seconds = CASE WHEN fresh THEN b.uptime_seconds ELSE w.uptime_seconds END,
      standing = CASE WHEN fresh THEN b.standing ELSE w.standing END,
      paused_until = CASE WHEN fresh THEN b.paused_until ELSE w.paused_until END,
      standing_changed_at = CASE WHEN fresh AND w.standing IS DISTINCT FROM b.standing THEN now()
        ELSE w.standing_changed_at END,
      host = coalesce(b.host, w.host), host_id = coalesce(b.host_id, w.host_id), version = coalesce(b.version, w.version),
      status = CASE WHEN fresh THEN after ELSE w.status END,
      status_changed_at = CASE WHEN fresh AND after <> before THEN now() ELSE w.status_changed_at END
    FROM seen JOIN sent b ON b.workspace = seen.id
    WHERE w.id = seen.id RETURNING w.id, seen.before, w.status,
      EXISTS (SELECT FROM a2a_queue q WHERE q.workspace_id = w.id AND q.status = 'queued')
        OR EXISTS (SELECT FROM a2a_queue q WHERE q.workspace_id = w.id AND q.status = 'dispatched'
          AND q.lease_until <= now()) AS waiting,
      EXISTS (SELECT FROM gateway_calls c WHERE c.workspace_id = w.id AND c.taken_at IS NULL) AS called`;

/** One heartbeat, however long it waits for locks. */
export const BEAT = beatStatement({ rows: '', waits: '' });

/**
 * The heartbeats of many agents, in no order. Locked rows are left out, so this never waits. Nor does it wait for the
 * disk: a heartbeat that is lost with the database is followed by the next, which reports the same again.
 */
export const BEATS = beatStatement({
  rows: `WHERE (SELECT set_config('synchronous_commit', 'off', true)) = 'off'`,
  waits: 'SKIP LOCKED',
});
