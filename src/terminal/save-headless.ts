import * as path from 'node:path';
import { type Clock, internal, readJsonIfExists, withFileLock, writeJsonAtomic } from '../base/index.ts';
import type { HeadlessProgress } from './headless/index.ts';

const LOCK_TIMEOUT_MS = 10_000;

/**
 * Keeps what a headless turn has changed in the session's manifest, durably and under the manifest's own lock: the
 * command line changes the same file. Everything else in it stays as it is.
 */
export function saveHeadless(
  sessionRoot: string,
  clock: Clock,
): (progress: HeadlessProgress) => Promise<void> {
  const file = path.join(sessionRoot, 'manifest.json');
  const lock = path.join(sessionRoot, 'manifest.lock');
  return (progress) =>
    withFileLock(lock, { timeoutMs: LOCK_TIMEOUT_MS, clock }, () => {
      const manifest = readJsonIfExists(file) as Record<string, unknown> | undefined;
      if (!manifest) throw internal(`${file} is gone`);
      const headless = {
        ...(manifest['headless'] as object),
        session_id: progress.sessionId,
        turn_index: progress.turnIndex,
        role_bootstrap_applied: progress.roleBootstrapApplied,
      };
      writeJsonAtomic(file, { ...manifest, headless });
    });
}
