import { asRouseError, conflict, crashPoint } from '../../base/index.ts';
import { endHeadlessTurn } from '../../terminal/index.ts';
import { detachHoldingLock } from '../gateway/detach.ts';
import { withLifecycleLock } from '../gateway/lifecycle-lock.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { updateManifest } from '../records/manifest-store.ts';
import { removeRecord } from '../records/registry.ts';
import type { SessionContext } from '../session-context.ts';
import { tmuxOf } from '../session-tmux.ts';
import { followSession } from '../target/follow-session.ts';
import { putBack } from '../target/joined-session.ts';
import { endSession } from './end-session.ts';
import { leaveFleet } from './fleet-membership.ts';
import type { StopReport } from './stop-report.ts';

export interface StopOptions {
  /** Ends a joined session too; without it, that one is only left. */
  killSession?: boolean | undefined;
}

/**
 * Stops an agent: its gateway, then its tmux session and what ran in it, or, where a person had started that session,
 * only what was done to it; its registry record. The session root stays, with its logs and mail binding, for whoever
 * wants to know what happened. Killed at any instant, it can be repeated.
 */
export function stop(
  context: SessionContext,
  given: ManifestFacts,
  { killSession = false }: StopOptions = {},
): Promise<StopReport> {
  return withLifecycleLock(context, given.root, async () => {
    const { facts, lives } = await followSession(context, given);
    return facts.joined && lives && !killSession ? giveBack(context, facts) : end(context, facts, lives);
  });
}

/** The same for a joined session only: one that Rouse made has nobody to go back to. */
export function leave(context: SessionContext, facts: ManifestFacts): Promise<StopReport> {
  if (!facts.joined) throw launchedHere(facts.agentName);
  return stop(context, facts);
}

export function launchedHere(agentName: string): Error {
  return conflict(`agent ${agentName} was launched, not joined: its session is its own, and cannot be left`, {
    hint: `"rouse agents stop --agent-name ${agentName}" ends it`,
    facts: { cause: 'not_joined' },
  });
}

/** A gateway that cannot be ended would go on typing into a person's session, so nothing is given back before it is gone. */
async function giveBack(context: SessionContext, facts: ManifestFacts): Promise<StopReport> {
  const notes: string[] = [];
  await detachHoldingLock(context, facts);
  crashPoint('session.leave.detached');
  await endTurn(context, facts, notes);
  const done = await putBack(tmuxOf(context, facts), facts);
  crashPoint('session.leave.put_back');
  if (done === 'as_it_was') notes.push('the session was already given back');
  await deregister(context, facts, notes);
  return { session: done === 'gone' ? 'gone' : 'left', notes };
}

async function end(context: SessionContext, facts: ManifestFacts, lives: boolean): Promise<StopReport> {
  const notes: string[] = [];
  await detachHoldingLock(context, facts).catch((error) => {
    notes.push(`the gateway was not detached: ${asRouseError(error).message}`);
  });
  await endTurn(context, facts, notes);
  await deregister(context, facts, notes);
  // Last, because this command may itself run in the session.
  const ended = lives && (await endSession(tmuxOf(context, facts), facts.tmuxSessionName, context.clock));
  return { session: ended ? 'ended' : 'gone', notes };
}

/** A headless turn is no child of tmux and would outlive its session. */
async function endTurn(context: SessionContext, facts: ManifestFacts, notes: string[]): Promise<void> {
  await endHeadlessTurn(facts.root, { clock: context.clock, graceMs: 5000 }).catch((error) => {
    notes.push(`the turn under way was not ended: ${asRouseError(error).message}`);
  });
}

async function deregister(context: SessionContext, facts: ManifestFacts, notes: string[]): Promise<void> {
  await forgetPid(context, facts).catch((error) => {
    notes.push(`the manifest was not updated: ${asRouseError(error).message}`);
  });
  await leaveFleet(facts.root);
  const removed = await removeRecord(context.settings.registryDir, facts, context.clock);
  if (!removed) notes.push('the registry held no record of this session');
}

async function forgetPid(context: SessionContext, facts: ManifestFacts): Promise<void> {
  await updateManifest(facts.root, context.clock, (manifest) => ({
    ...manifest,
    runtime: { ...manifest.runtime, agent_pid: null },
  }));
}
