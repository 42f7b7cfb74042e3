import { asRouseError } from '../base/index.ts';
import { endHeadlessTurn } from '../terminal/index.ts';
import { detachHoldingLock } from './detach.ts';
import { endSession } from './end-session.ts';
import { leaveFleet } from './fleet-membership.ts';
import { withLifecycleLock } from './lifecycle-lock.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { updateManifest } from './manifest-store.ts';
import { removeRecord } from './registry.ts';
import type { SessionContext } from './session-context.ts';
import { SessionTmux } from './session-tmux.ts';
import { DEFAULT_SOCKET } from './tmux-socket.ts';

export interface StopReport {
  /** False when the tmux session was gone already. */
  wasRunning: boolean;
  notes: string[];
}

/**
 * Stops an agent: its gateway, its registry record, then exactly its tmux session and what ran in it.
 * The session root stays, with its logs and mail binding, for whoever wants to know what happened.
 */
export function stop(context: SessionContext, facts: ManifestFacts): Promise<StopReport> {
  return withLifecycleLock(context, facts.root, async () => {
    const notes: string[] = [];
    const tmux = new SessionTmux(facts.tmuxSocket ?? DEFAULT_SOCKET, context.env);
    await detachHoldingLock(context, facts).catch((error) => {
      notes.push(`the gateway was not detached: ${asRouseError(error).message}`);
    });
    // A headless turn is no child of tmux and would outlive its session.
    await endHeadlessTurn(facts.root, { clock: context.clock, graceMs: 5000 }).catch((error) => {
      notes.push(`the turn under way was not ended: ${asRouseError(error).message}`);
    });
    await forgetPid(context, facts).catch((error) => {
      notes.push(`the manifest was not updated: ${asRouseError(error).message}`);
    });
    const removed = await removeRecord(context.settings.registryDir, facts, context.clock);
    if (!removed) notes.push('the registry held no record of this session');
    await leaveFleet(facts.root);
    // Last, because this command may itself run in the session.
    const wasRunning = await endSession(tmux, facts.tmuxSessionName, context.clock);
    return { wasRunning, notes };
  });
}

async function forgetPid(context: SessionContext, facts: ManifestFacts): Promise<void> {
  await updateManifest(facts.root, context.clock, (manifest) => ({
    ...manifest,
    runtime: { ...manifest.runtime, agent_pid: null },
  }));
}
