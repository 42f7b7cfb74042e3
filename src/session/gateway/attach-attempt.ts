import * as fs from 'node:fs';
import { isProcessAlive, type ProcessIdentity, readIfExists } from '../../base/index.ts';
import type { SessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';

/** What a started gateway said about its start, in run/attempt.json; or that it ended or stayed silent. */
export type AttemptOutcome =
  | { outcome: 'ready'; instanceId: string | undefined; port: number | undefined }
  | { outcome: 'failed'; code: string; message: string }
  | { outcome: 'ended' }
  | { outcome: 'timeout' };

/**
 * Waits for the word of this very attempt: a file of an earlier one has another id. The directory is watched, and
 * the process besides, because one that dies before it can write says nothing.
 */
export function waitForAttempt(
  context: SessionContext,
  paths: SessionPaths,
  attemptId: string,
  process: ProcessIdentity,
  timeoutMs: number,
): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    const { clock } = context;
    const deadline = clock.monotonic() + timeoutMs;
    let cancel: (() => void) | undefined;
    const watcher = fs.watch(paths.run, () => look());
    watcher.on('error', () => {}); // the directory may vanish with its session; the look below ends the wait
    const done = (outcome: AttemptOutcome): void => {
      watcher.close();
      cancel?.();
      resolve(outcome);
    };
    const look = (): void => {
      cancel?.();
      const alive = isProcessAlive(process);
      const said = readAttempt(paths, attemptId);
      if (said) done(said);
      else if (!alive) done({ outcome: 'ended' });
      else if (clock.monotonic() >= deadline || context.signal?.aborted) done({ outcome: 'timeout' });
      else cancel = clock.after(50, look);
    };
    look();
  });
}

export function readAttempt(paths: SessionPaths, attemptId: string): AttemptOutcome | undefined {
  let said: Record<string, unknown>;
  try {
    said = JSON.parse(readIfExists(paths.attempt) ?? 'null') as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (said?.['attempt_id'] !== attemptId) return undefined;
  if (said['status'] === 'ready') {
    const { instance_id: id, port } = said;
    return {
      outcome: 'ready',
      instanceId: typeof id === 'string' ? id : undefined,
      port: typeof port === 'number' ? port : undefined,
    };
  }
  const { code, message } = said;
  return {
    outcome: 'failed',
    code: typeof code === 'string' ? code : 'unknown',
    message: typeof message === 'string' ? message : 'no reason given',
  };
}
