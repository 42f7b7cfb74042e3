import * as path from 'node:path';
import { ensurePrivateDirectory, randomHex, unsupported } from '../base/index.ts';
import type { AdmissionPolicy } from '../domain/index.ts';
import { isHeadless } from '../domain/index.ts';
import { type AgentSurface, type DeliveryResult, openSurface } from '../terminal/index.ts';
import { followSession } from './follow-session.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { readManifest } from './manifest-store.ts';
import type { SessionContext } from './session-context.ts';
import { sessionPaths } from './session-paths.ts';

export type { DeliveryResult } from '../terminal/index.ts';

export type DirectAct =
  | { kind: 'prompt'; text: string; policy: AdmissionPolicy }
  | { kind: 'interrupt' }
  | { kind: 'send_keys'; sequence: string; escapeSpecialKeys: boolean };

/** A surface just opened has seen the screen once; what it needs to call it stable is a moment more. */
const SETTLE_MS = 4_000;

/**
 * Acts on an agent that has no gateway: the same surface, the same gate, the same lane under the same lock. A gateway
 * that is attached meanwhile waits for its turn. Nothing is queued and nothing is kept but what is returned.
 */
export async function controlDirectly(
  context: SessionContext,
  facts: ManifestFacts,
  act: DirectAct,
): Promise<DeliveryResult> {
  if (isHeadless(facts.backend)) {
    throw unsupported(`agent ${facts.agentName} is headless: its turns are run by its gateway`, {
      hint: `rouse agents gateway attach --agent-name ${facts.agentName}`,
    });
  }
  const paths = sessionPaths(facts.root);
  ensurePrivateDirectory(paths.run);
  await followSession(context, facts);
  const surface = openSurface({
    manifest: readManifest(facts.root),
    sessionRoot: facts.root,
    laneLock: path.join(paths.run, 'lane.lock'),
    clock: context.clock,
  });
  await surface.start();
  try {
    return await perform(surface, act, context);
  } finally {
    await surface.close();
  }
}

async function perform(
  surface: AgentSurface,
  act: DirectAct,
  context: SessionContext,
): Promise<DeliveryResult> {
  const requestId = `direct-${randomHex(6)}`;
  if (act.kind === 'interrupt') return surface.interrupt(requestId);
  if (act.kind === 'send_keys') return surface.sendKeys({ requestId, ...act });
  await settled(surface, context);
  return surface.deliver({
    requestId,
    text: act.text,
    policy: act.policy,
    record: async () => {},
    ...(context.signal && { signal: context.signal }),
  });
}

/** Ready, or as ready as it gets in a moment; the lane then says what is in the way. */
async function settled(surface: AgentSurface, { clock }: SessionContext): Promise<void> {
  if (surface.observation().ready) return;
  const enough = new AbortController();
  const cancel = clock.after(SETTLE_MS, () => enough.abort());
  await surface.changed.next(({ ready }) => ready, enough.signal).catch(() => {});
  cancel();
}
