import { ensurePrivateDirectory, type Log } from '../base/index.ts';
import { type AgentSurface, type HeadlessProgress, openHeadlessSurface } from '../terminal/index.ts';
import type { ManifestFacts } from './records/manifest-facts.ts';
import { readManifest, updateManifest } from './records/manifest-store.ts';
import { sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';

/** The surface of a headless agent for whoever runs its turns: the same lane and the same lock as any other. */
export function openHeadless(
  context: SessionContext,
  facts: ManifestFacts,
  { log }: { log: Log },
): AgentSurface {
  const { run, laneLock } = sessionPaths(facts.root);
  ensurePrivateDirectory(run);
  return openHeadlessSurface({
    manifest: readManifest(facts.root),
    sessionRoot: facts.root,
    laneLock,
    manifestNow: () => readManifest(facts.root),
    saveHeadless: (progress) => saveProgress(context, facts, progress),
    env: context.env,
    clock: context.clock,
    log,
  });
}

async function saveProgress(
  { clock }: SessionContext,
  { root }: ManifestFacts,
  { sessionId, turnIndex, roleBootstrapApplied }: HeadlessProgress,
): Promise<void> {
  await updateManifest(root, clock, (manifest) => ({
    ...manifest,
    headless: manifest.headless && {
      ...manifest.headless,
      session_id: sessionId,
      turn_index: turnIndex,
      role_bootstrap_applied: roleBootstrapApplied,
    },
  }));
}
