import * as fs from 'node:fs';
import {
  asRouseError,
  commandLine,
  conflict,
  crashPoint,
  unsupported,
  utcStamp,
  writeJsonAtomic,
} from '../../base/index.ts';
import { agentTokenFile } from '../../client/index.ts';
import { CAPABILITIES, HAND_OVER_SIGNAL } from '../../domain/index.ts';
import { endHeadlessTurn } from '../../terminal/index.ts';
import { leaveFleet } from '../fleet.ts';
import { detachHoldingLock } from '../gateway/detach.ts';
import { followSession } from '../live-sessions.ts';
import { launchFacts, type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { updateManifest } from '../records/manifest-store.ts';
import { removeRecord } from '../records/registry.ts';
import { OUR_VARIABLES, sessionPaths } from '../records/session-paths.ts';
import { type SessionContext, withLifecycleLock } from '../session-context.ts';
import { holderOf, tmuxOf } from '../session-tmux.ts';
import { cleanSkills, putBack, unequipJoined } from './joined-session.ts';
import type { StopReport } from './stop-report.ts';
import { descendants, endAll, endOwnHome, endSession } from './tool-pane.ts';

export interface StopOptions {
  /** Ends a joined session too. Without it, a joined session is only left. */
  killSession?: boolean | undefined;
  /** Remove the mail skills of its tool too, if no other agent of this host uses them. */
  clean?: boolean | undefined;
}

/**
 * Stops an agent: its gateway, then its tmux session and what runs in it, then its registry record. In a session that a
 * person had started, only what Rouse added is undone. The session root stays, with its logs and mail binding. Killed at
 * any instant, it can be repeated.
 */
export function stop(
  context: SessionContext,
  recorded: ManifestFacts,
  { killSession = false, clean = false }: StopOptions = {},
): Promise<StopReport> {
  const { owner } = CAPABILITIES[recorded.backend];
  if (killSession && owner !== null) throw ownedBy(owner, recorded.agentName);
  return withLifecycleLock(context, recorded.root, async () => {
    const { facts, lives } = await followSession(context, recorded);
    const others = lives ? await othersInSession(context, facts) : [];
    if (killSession && others.length > 0) throw sharedWith(facts, others);
    const removeOurs = (notes: string[]): void => removeInstalled(context, facts, { clean, notes });
    return facts.joined && lives && !killSession
      ? giveBack(context, facts, removeOurs)
      : end(context, facts, { lives, removeOurs, others });
  });
}

/** The same for a joined session only. A launched one has no one to return to. */
export function leave(context: SessionContext, facts: ManifestFacts): Promise<StopReport> {
  if (!facts.joined) throw launchedHere(facts.agentName);
  return stop(context, facts);
}

export function launchedHere(agentName: string): Error {
  return conflict(`agent ${agentName} was launched, not joined: its session is its own, and cannot be left`, {
    hint: `"${commandLine`rouse agents stop --agent-name ${agentName}`}" ends it`,
    facts: { cause: 'not_joined' },
  });
}

function ownedBy(owner: string, agentName: string): Error {
  return unsupported(`the tmux session of agent ${agentName} belongs to ${owner}, and is not ended here`, {
    hint: `"${commandLine`rouse agents stop --agent-name ${agentName}`}" leaves it; end its terminal in ${owner}`,
    facts: { cause: `owned_by_${owner.toLowerCase()}` },
  });
}

/** A gateway that cannot be ended would keep typing into a person's session, so it must end first. */
async function giveBack(
  context: SessionContext,
  facts: ManifestFacts,
  removeOurs: (notes: string[]) => void,
): Promise<StopReport> {
  const notes: string[] = [];
  await detachHoldingLock(context, facts);
  crashPoint('session.leave.detached');
  await endTurn(context, facts, notes);
  const done = await putBack(tmuxOf(context, facts), facts);
  crashPoint('session.leave.put_back');
  if (done === 'as_it_was') notes.push('the session was already given back');
  removeOurs(notes);
  await deregister(context, facts, notes);
  return { session: done === 'gone' ? 'gone' : 'left', notes };
}

async function end(
  context: SessionContext,
  facts: ManifestFacts,
  {
    lives,
    removeOurs,
    others,
  }: { lives: boolean; removeOurs: (notes: string[]) => void; others: readonly string[] },
): Promise<StopReport> {
  const notes: string[] = [];
  // The session may come back, with its live reminders.
  await detachHoldingLock(context, facts, { ask: HAND_OVER_SIGNAL }).catch((error) => {
    notes.push(`the gateway was not detached: ${asRouseError(error).message}`);
  });
  await endTurn(context, facts, notes);
  removeOurs(notes);
  await deregister(context, facts, notes);
  if (others.length > 0) return endPane(context, facts, { others, notes });
  if (!facts.joined) markStopped(context, facts, notes);
  // Last, because this command may itself run in the session.
  const ended = lives && (await endSession(tmuxOf(context, facts), facts.tmuxSessionName, context.clock));
  return { session: ended ? 'ended' : 'gone', notes };
}

/** The session is also that of agents that were joined in other panes: only its own pane ends. */
async function endPane(
  context: SessionContext,
  facts: ManifestFacts,
  { others, notes }: { others: readonly string[]; notes: string[] },
): Promise<StopReport> {
  const tmux = tmuxOf(context, facts);
  const pane = await tmux.paneOf(facts);
  await tmux.setEnvironment(holderOf(facts), Object.fromEntries(OUR_VARIABLES.map((name) => [name, null])));
  notes.push(
    `tmux session "${facts.tmuxSessionName}" stays: ${others.join(', ')} ${others.length === 1 ? 'is' : 'are'} in it`,
  );
  if (!pane) return { session: 'gone', notes };
  const processes = descendants(pane.pid);
  await tmux.killPane(pane.paneId);
  await endAll(processes, context.clock);
  return { session: 'ended', notes };
}

/** The names of other agents in panes of its tmux session. */
async function othersInSession(context: SessionContext, facts: ManifestFacts): Promise<string[]> {
  const sessions = await tmuxOf(context, facts).sessions();
  const found = sessions.find(({ name }) => name === facts.tmuxSessionName);
  const pointed = [found?.manifestPath, ...(found?.places ?? []).map(({ manifestPath }) => manifestPath)];
  return [...new Set(pointed)].flatMap((file) => {
    const other = file === undefined || file === facts.path ? undefined : tryManifestFacts(file);
    return other && CAPABILITIES[other.backend].owner === null ? [other.agentName] : [];
  });
}

function sharedWith({ tmuxSessionName, agentName }: ManifestFacts, others: readonly string[]): Error {
  return conflict(
    `tmux session "${tmuxSessionName}" of agent ${agentName} is also that of ${others.join(', ')}, and is not ended`,
    {
      hint: 'leave out --kill-session, or stop the others first',
      facts: { cause: 'shared_session', agents: others },
    },
  );
}

/** Removes what a join installed for the tool and, with `clean`, the skills too. */
function removeInstalled(
  context: SessionContext,
  facts: ManifestFacts,
  { clean, notes }: { clean: boolean; notes: string[] },
): void {
  try {
    if (facts.joined) notes.push(...unequipJoined(context, facts));
    if (clean) notes.push(...cleanSkills(context, facts));
  } catch (error) {
    notes.push(`not all of what was installed for it was removed: ${asRouseError(error).message}`);
  }
}

/** A headless turn is not a child of tmux and would outlive its session. */
async function endTurn(context: SessionContext, facts: ManifestFacts, notes: string[]): Promise<void> {
  await endHeadlessTurn(facts.root, { clock: context.clock, graceMs: 5000 }).catch((error) => {
    notes.push(`the turn under way was not ended: ${asRouseError(error).message}`);
  });
}

async function deregister(context: SessionContext, facts: ManifestFacts, notes: string[]): Promise<void> {
  await forgetPid(context, facts).catch((error) => {
    notes.push(`the manifest was not updated: ${asRouseError(error).message}`);
  });
  endOwnHome(sessionPaths(facts.root).launch, launchFacts(facts.document)['mcp_home']);
  await leaveFleet(facts.root);
  // The next launch of this session makes it again.
  fs.rmSync(agentTokenFile(facts.root), { force: true });
  const removed = await removeRecord(context.settings.registryDir, facts, context.clock);
  if (!removed) notes.push('the registry had no record of this session');
}

/** From now on a launch with the same words brings it back. */
function markStopped({ clock }: SessionContext, { root }: ManifestFacts, notes: string[]): void {
  try {
    writeJsonAtomic(sessionPaths(root).stopped, { schema_version: 1, stopped_at_utc: utcStamp(clock.now()) });
  } catch (error) {
    notes.push(`that it was stopped could not be recorded: ${asRouseError(error).message}`);
  }
}

async function forgetPid(context: SessionContext, facts: ManifestFacts): Promise<void> {
  await updateManifest(facts.root, context.clock, (manifest) => ({
    ...manifest,
    runtime: { ...manifest.runtime, agent_pid: null },
  }));
}
