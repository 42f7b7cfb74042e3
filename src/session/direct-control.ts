import {
  commandLine,
  ensurePrivateDirectory,
  invalid,
  type Log,
  randomHex,
  silentLog,
  unsupported,
} from '../base/index.ts';
import { type AdmissionPolicy, isHeadless } from '../domain/index.ts';
import { parseSnapshot, pictureOf, type ScreenPicture } from '../screen/index.ts';
import {
  type AgentSurface,
  type DeliveryResult,
  type HeadlessProgress,
  openHeadlessSurface,
  openSurface,
  type PromptDelivery,
} from '../terminal/index.ts';
import { followSession } from './live-sessions.ts';
import type { ManifestFacts } from './records/manifest-facts.ts';
import { readManifest, updateManifest } from './records/manifest-store.ts';
import { sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';
import { tmuxOf } from './session-tmux.ts';

export type { DeliveryResult } from '../terminal/index.ts';

export type DirectAct =
  | {
      kind: 'prompt';
      text: string;
      policy: AdmissionPolicy;
      /** Of a headless agent only. */
      execution?: PromptDelivery['execution'];
    }
  | { kind: 'interrupt' }
  | { kind: 'send_keys'; sequence: string; escapeSpecialKeys: boolean };

/** A surface that was just opened has read the screen once. It needs a little longer to call the screen stable. */
const SETTLE_MS = 4_000;

/**
 * Acts on an agent that has no gateway: the same surface, the same gate, the same lane under the same lock. A gateway
 * that is attached at the same time waits for its turn. Nothing is queued, and only the result is kept. For a headless
 * agent, a prompt is a whole turn: this returns when the turn ends, and aborting it interrupts the turn.
 */
export async function controlDirectly(
  context: SessionContext,
  facts: ManifestFacts,
  act: DirectAct,
): Promise<DeliveryResult> {
  const headless = isHeadless(facts.backend);
  if (headless && act.kind === 'send_keys') {
    throw unsupported(`agent ${facts.agentName} is headless: it has no screen to type keys into`, {
      hint: commandLine`rouse agents prompt --agent-name ${facts.agentName}`,
    });
  }
  if (!headless && act.kind === 'prompt' && act.execution)
    throw invalid(`agent ${facts.agentName} has a screen: a model override is for headless agents`);
  await followSession(context, facts);
  const surface = headless ? openHeadless(context, facts, { log: silentLog }) : openTerminal(context, facts);
  await surface.start();
  try {
    return await perform(surface, act, context);
  } finally {
    await surface.close();
  }
}

/** Watches an agent that has no gateway; what it learns about the conversation is stored. Types nothing. */
export async function watchDirectly(
  context: SessionContext,
  facts: ManifestFacts,
): Promise<{ isWorking: () => boolean; close: () => Promise<void> }> {
  await followSession(context, facts);
  const surface = openTerminal(context, facts);
  await surface.start();
  await settled(surface, context);
  return { isWorking: () => surface.observation().busy, close: () => surface.close() };
}

function openTerminal({ clock }: SessionContext, { root }: ManifestFacts): AgentSurface {
  const { run, laneLock } = sessionPaths(root);
  ensurePrivateDirectory(run);
  return openSurface({
    manifest: readManifest(root),
    sessionRoot: root,
    laneLock,
    clock,
  });
}

async function perform(
  surface: AgentSurface,
  act: DirectAct,
  context: SessionContext,
): Promise<DeliveryResult> {
  const requestId = `direct-${randomHex(6)}`;
  if (act.kind === 'interrupt') return surface.interrupt(requestId);
  if (act.kind === 'send_keys') return surface.sendKeys({ requestId, ...act });
  if (surface.kind === 'tui') await settled(surface, context);
  else context.progress?.('waiting for the turn to end');
  return surface.deliver({
    requestId,
    text: act.text,
    policy: act.policy,
    direct: true,
    ...(act.execution && { execution: act.execution }),
    record: async () => {},
    ...(context.signal && { signal: context.signal }),
  });
}

/** Waits a moment for the agent to become ready. If it does not, the lane reports why. */
async function settled(surface: AgentSurface, { clock }: SessionContext): Promise<void> {
  if (surface.observation().ready) return;
  const enough = new AbortController();
  const cancel = clock.after(SETTLE_MS, () => enough.abort());
  await surface.changed.next(({ ready }) => ready, enough.signal).catch(() => {});
  cancel();
}

/** The surface of a headless agent: the same lane and the same lock as any other. */
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

/** Captures the screen once, without attaching, so nothing is resized or disturbed. */
export async function seeTerminal(
  context: SessionContext,
  facts: ManifestFacts,
): Promise<ScreenPicture | undefined> {
  const tmux = tmuxOf(context, facts);
  const pane = await tmux.paneOf(facts);
  const seen = pane && (await tmux.snapshot(pane.paneId));
  if (!seen) return undefined;
  const { width: columns, height, cursorX: x, cursorY: y, cursorVisible: visible } = seen.pane;
  return pictureOf(parseSnapshot(seen.screen, { columns, height, cursor: { x, y, visible } }), null);
}
