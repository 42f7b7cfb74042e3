import { type Clock, type Log, messageOf } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { PageSessions } from './door/page-sessions.ts';

export interface IdleParts {
  sql: Sql;
  clock: Clock;
  log: Log;
  sessions: PageSessions;
  idleMs: number;
  shutdown: () => void;
}

const LOOKS = 10;

/**
 * Stops a server that was started for a page, once no one has the page open and no agent sends heartbeats. Returns a
 * function that cancels this.
 */
export function endWhenIdle({ sql, clock, log, sessions, idleMs, shutdown }: IdleParts): () => void {
  let usedMs = clock.monotonic();
  let cancel = (): void => {};
  let isOver = false;
  const stop = sessions.changed.on(() => {
    usedMs = clock.monotonic();
  });
  const look = async (): Promise<void> => {
    if (sessions.awaited || (await beats(sql, idleMs))) usedMs = clock.monotonic();
    if (clock.monotonic() - usedMs < idleMs) return again();
    log.info('the page is not open and no agent is connected: the server stops');
    shutdown();
  };
  const again = (): void => {
    if (isOver) return;
    cancel = clock.after(idleMs / LOOKS, () => {
      look().catch((error: unknown) => {
        log.warn('cannot check whether the server is still needed', { cause: messageOf(error) });
        again();
      });
    });
  };
  again();
  return () => {
    isOver = true;
    stop();
    cancel();
  };
}

async function beats(sql: Sql, withinMs: number): Promise<boolean> {
  const { rowCount } = await sql.query(
    `SELECT 1 FROM workspaces WHERE last_heartbeat_at > now() - $1 * interval '1 millisecond' LIMIT 1`,
    [withinMs],
  );
  return rowCount > 0;
}
