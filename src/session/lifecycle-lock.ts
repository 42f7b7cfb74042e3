import { ensurePrivateDirectory, withFileLock } from '../base/index.ts';
import type { SessionContext } from './session-context.ts';
import { sessionPaths } from './session-paths.ts';

/** An attach may take ten seconds for each of two ports, and a detach six; whoever waits longer is told. */
const TIMEOUT_MS = 40_000;

/** One life-cycle action of a session at a time, over all processes. The kernel frees it when its holder dies. */
export async function withLifecycleLock<T>(
  context: SessionContext,
  root: string,
  work: () => Promise<T>,
): Promise<T> {
  ensurePrivateDirectory(root);
  context.progress?.('waiting for another action on this session');
  const { clock, signal } = context;
  return withFileLock(
    sessionPaths(root).lifecycleLock,
    { timeoutMs: TIMEOUT_MS, clock, ...(signal && { signal }) },
    work,
  );
}
