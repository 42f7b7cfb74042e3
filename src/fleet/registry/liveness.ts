import type { Log } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { ALIVE_WORKSPACES, sqlList } from '../../domain/index.ts';
import type { Sweep } from '../sweep/index.ts';

export interface LivenessOptions {
  /** Without a heartbeat for this long, an agent is offline. */
  windowSeconds: number;
  /**
   * When this server began to listen. Heartbeats missed while no server listened do not count: the window starts again
   * with the server.
   */
  startedAt: Date;
  log: Log;
  /** Count, change nothing. */
  dryRun?: boolean;
}

const BATCH = 200;
const MAX_BATCHES = 50;

const SWEEP_MS = 15_000;

export function livenessSweep(options: Omit<LivenessOptions, 'dryRun'>): Sweep {
  const { windowSeconds } = options;
  return {
    name: 'liveness',
    summary: 'agents without a heartbeat go offline',
    intervalMs: Math.min(SWEEP_MS, windowSeconds * 1000),
    facts: { window_s: windowSeconds },
    mayHaveWork: (sql) => mayBeSilent(sql, options),
    run: ({ sql, signal, dryRun }) => livenessPass(sql, { ...options, dryRun }, signal),
  };
}

/** Runs one pass: silent agents go offline, unless they sent a heartbeat or were paused in the meantime. */
export async function livenessPass(
  sql: Sql,
  { windowSeconds, startedAt, log, dryRun }: LivenessOptions,
  signal?: AbortSignal,
): Promise<{ offline: number }> {
  if (dryRun) return { offline: await countSilent(sql, windowSeconds, startedAt) };
  let offline = 0;
  for (let batch = 0; batch < MAX_BATCHES && !signal?.aborted; batch++) {
    const { rows } = await sql.query<{ id: string; name: string; last_heartbeat_at: Date | null }>(
      `UPDATE workspaces SET status = 'offline', status_changed_at = now() WHERE id = ANY(ARRAY(
           SELECT id FROM workspaces WHERE status IN ${sqlList(ALIVE_WORKSPACES)} AND ${SILENT}
             ORDER BY last_heartbeat_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))
         AND status IN ${sqlList(ALIVE_WORKSPACES)} AND ${SILENT} RETURNING id, name, last_heartbeat_at`,
      [windowSeconds, startedAt],
    );
    offline += rows.length;
    for (const { id, name, last_heartbeat_at } of rows)
      log.info('agent is offline: no heartbeat', { workspace: id, name, last_heartbeat_at });
    if (rows.length < BATCH) break;
  }
  return { offline };
}

async function countSilent(sql: Sql, windowSeconds: number, startedAt: Date): Promise<number> {
  const { rows } = await sql.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM workspaces WHERE status IN ${sqlList(ALIVE_WORKSPACES)} AND ${SILENT}`,
    [windowSeconds, startedAt],
  );
  return rows[0]!.count;
}

/** A cheap check by the index. */
async function mayBeSilent(sql: Sql, { windowSeconds, startedAt }: LivenessOptions): Promise<boolean> {
  const { rows } = await sql.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM workspaces WHERE status IN ${sqlList(ALIVE_WORKSPACES)} AND ${SILENT}) AS found`,
    [windowSeconds, startedAt],
  );
  return rows[0]!.found;
}

const SILENT = `last_heartbeat_at < now() - make_interval(secs => $1::float8)
  AND $2::timestamptz < now() - make_interval(secs => $1::float8)`;
