import { withFileLock, writeJsonAtomic, writeJsonIfOther } from '../base/index.ts';
import type { HeadlessProgress } from '../terminal/index.ts';
import { besideOf, manifestFiles, publishManifest } from '../wire/index.ts';
import { readSession } from './session-facts.ts';

/** Stores the progress of a headless chat in the manifest, under the lock that every writer takes. */
export async function saveHeadlessProgress(sessionRoot: string, progress: HeadlessProgress): Promise<void> {
  const { manifest: file, manifestLock } = manifestFiles(sessionRoot);
  await withFileLock(manifestLock, { timeoutMs: 10_000 }, () => {
    const { manifest } = readSession(sessionRoot);
    const { headless } = manifest;
    if (!headless) return;
    const now = {
      ...headless,
      session_id: progress.sessionId,
      turn_index: progress.turnIndex,
      role_bootstrap_applied: progress.roleBootstrapApplied,
    };
    const { published, beside } = publishManifest({ ...manifest, headless: now }, sessionRoot);
    writeJsonIfOther(besideOf(file), beside);
    writeJsonAtomic(file, published);
  });
}
