import { ensurePrivateDirectory, lockFile, tryLockFile } from '../../base/index.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';

/**
 * An attach may take ten seconds for each of two ports, a detach seven, and a restart that fails 17 and three starts;
 * whoever waits longer is told.
 */
const TIMEOUT_MS = 50_000;

/** One life-cycle action of a session at a time, over all processes. The kernel frees it when its holder dies. */
export async function withLifecycleLock<T>(
  { clock, signal, progress }: SessionContext,
  root: string,
  work: () => Promise<T>,
): Promise<T> {
  ensurePrivateDirectory(root);
  const file = sessionPaths(root).lifecycleLock;
  let lock = tryLockFile(file);
  if (!lock) {
    progress?.('waiting for another action on this session');
    lock = await lockFile(file, { timeoutMs: TIMEOUT_MS, clock, ...(signal && { signal }) });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}
