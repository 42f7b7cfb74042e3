import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  childrenOf,
  conflict,
  crashPoint,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  readIfExists,
  signalProcess,
  sleep,
  writeJsonAtomic,
} from '../../base/index.ts';
import { HAND_OVER_SIGNAL } from '../../domain/index.ts';
import type { Target } from '../find.ts';
import { askFleet, localInstead, requireFleetAgent } from '../fleet.ts';
import { followSession } from '../live-sessions.ts';
import { offlineDocument, type StatusDocument } from '../records/gateway-documents.ts';
import {
  claimsAgentWindow,
  isKept,
  type RecordedGateway,
  readKeeper,
  readRecordedGateway,
} from '../records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from '../records/manifest-facts.ts';
import { type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import { wantGateway } from '../records/standing-from-files.ts';
import { type SessionContext, withLifecycleLock } from '../session-context.ts';
import { endInHost, hostOf } from './gateway-host.ts';
import { restoreOffline } from './publish.ts';

export interface DetachReport {
  status: StatusDocument;
  /** How the gateway ended; `already` if none ran. */
  ended: EndedBy;
  detail: string;
}

export async function detach(context: SessionContext, target: Target): Promise<DetachReport> {
  if (target.kind === 'local') return detachLocal(context, target.facts.path);
  const own = await localInstead(context, target, 'detach');
  if (own) return detachLocal(context, own);
  await requireFleetAgent(target);
  const status = await askFleet(target, 'agents.gateway.detach', { agent_ref: target.agentRef });
  return { status, ended: 'already', detail: `detached by the server at ${target.baseUrl}` };
}

/**
 * Detaches the gateway of a session of this host. Asks the process to end, and kills it if it does not; only the
 * recorded process, verified by its start time. The session stays capable: manifest, attach authority and desired
 * configuration are kept. With `until`, the gateway comes back with its host.
 */
export function detachLocal(
  context: SessionContext,
  manifestPath: string,
  { until = null }: { until?: 'host_start' | null } = {},
): Promise<DetachReport> {
  return withLifecycleLock(context, path.dirname(manifestPath), async () => {
    wantGateway(sessionPaths(path.dirname(manifestPath)), until && 'stopped');
    const { facts } = await followSession(context, readManifestFacts(manifestPath));
    return detachHoldingLock(context, facts);
  });
}

/** For actions that already hold the life-cycle lock. */
export async function detachHoldingLock(
  context: SessionContext,
  facts: ManifestFacts,
  how?: EndOptions,
): Promise<DetachReport> {
  const paths = sessionPaths(facts.root);
  await endHalfStarted(context, paths);
  const recorded = readRecordedGateway(paths);
  const gateway = typeof recorded === 'string' ? undefined : recorded;
  const kept = isKept(paths);
  const ended = await endGateway(context, facts, gateway, how);
  if (gateway) crashPoint('session.detach.ended');
  await restoreOffline(context, facts);
  crashPoint('session.detach.restored');
  const detail =
    ended === 'already'
      ? kept
        ? 'the gateway had ended, and is not started again'
        : 'no gateway was running'
      : ended === 'SIGTERM'
        ? 'the gateway ended'
        : 'the gateway was killed';
  return { status: offlineDocument(paths, facts), ended, detail };
}

/** Ends exactly the recorded gateway and its keeper. One that claims the agent's own window is never acted upon. */
export async function endGateway(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway | undefined,
  how?: EndOptions,
): Promise<EndedBy> {
  const paths = sessionPaths(facts.root);
  if (gateway && claimsAgentWindow(gateway)) {
    throw conflict(
      `the recorded gateway claims window 0 of "${facts.tmuxSessionName}", which belongs to the agent`,
      {
        hint: `nothing was stopped; look at ${paths.currentInstance}`,
        facts: { cause: 'reserved_window' },
      },
    );
  }
  if (gateway || isKept(paths)) context.progress?.('waiting for the gateway to end');
  const ended = await endForGood(paths, gateway?.identity, context.clock, how);
  if (ended !== 'nothing') return ended;
  throw conflict(
    `process ${gateway?.identity.pid} cannot be proven to be this session's gateway, or does not end`,
    {
      hint: 'nothing was changed; end it by hand',
      facts: { cause: 'gateway_not_stopped', pid: gateway?.identity.pid },
    },
  );
}

/**
 * Signals the keeper first, so that it does not restart the gateway; what it is about to start ends too. `nothing`: the
 * gateway still runs.
 */
export async function endForGood(
  paths: SessionPaths,
  gateway: ProcessIdentity | undefined,
  clock: Clock,
  how: EndOptions = {},
): Promise<EndedBy> {
  const host = hostOf(paths);
  if (host !== undefined) return endHosted(paths, host, clock, how);
  const alive = gateway !== undefined && isProcessAlive(gateway);
  if (alive && gateway.startTicks === null) return 'nothing';
  const keeper = readKeeper(paths)?.identity;
  const { ask = 'SIGTERM' } = how;
  if (keeper) signalProcess(keeper, ask);
  const ended = gateway ? await endProcess(gateway, clock, how) : 'already';
  if (ended === 'nothing') return ended;
  if (keeper) await endKeeper(keeper, clock);
  fs.rmSync(paths.keeper, { force: true });
  return alive && ended === 'already' ? ask : ended;
}

/** Ends a start that has not recorded itself yet: a gateway, or its keeper and its children. */
export async function endStarted(
  paths: SessionPaths,
  { identity: started, hosted }: { identity: ProcessIdentity; hosted: boolean },
  clock: Clock,
  how?: EndOptions,
): Promise<void> {
  const host = hostOf(paths);
  if (host !== undefined) await endHosted(paths, host, clock, how);
  if (hosted || host !== undefined) return;
  if (readKeeper(paths)?.identity.pid !== started.pid) await endProcess(started, clock, how);
  else await endKeeper(started, clock, how);
}

/** If the keeper has to be killed, its children are killed too, because nothing else knows them. */
async function endKeeper(keeper: ProcessIdentity, clock: Clock, how?: EndOptions): Promise<void> {
  const children = isProcessAlive(keeper)
    ? childrenOf(keeper.pid).flatMap((pid) => identifyProcess(pid) ?? [])
    : [];
  if ((await endProcess(keeper, clock, how)) !== 'SIGKILL') return;
  for (const child of children) signalProcess(child, 'SIGKILL');
  await Promise.all(children.map((child) => waitForEnd(child, 2000, clock)));
}

async function endHosted(
  paths: SessionPaths,
  host: string,
  clock: Clock,
  { ask = 'SIGTERM', patienceMs = 5000 }: EndOptions = {},
): Promise<EndedBy> {
  const ended = await endInHost(paths, host, { handOver: ask !== 'SIGTERM', patienceMs, clock });
  return ended === 'asked' ? ask : ended === 'killed' ? 'SIGKILL' : ended;
}

/**
 * Notes a gateway that has started but not reported yet. If its attach is killed, the next action on the session finds
 * the note and ends the gateway, so that it does not become ready unnoticed.
 */
export function noteStarting(paths: SessionPaths, identity: ProcessIdentity): void {
  writeJsonAtomic(noteFile(paths), identity, { durable: false });
}

export function forgetStarting(paths: SessionPaths): void {
  fs.rmSync(noteFile(paths), { force: true });
}

const NO_PROCESS: ProcessIdentity = { pid: 0, startTicks: -1, bootId: null };

/** The caller holds the life-cycle lock, so the writer of the note is gone. A gateway that recorded itself did start. */
export async function endHalfStarted(context: SessionContext, paths: SessionPaths): Promise<void> {
  const identity = readNote(paths);
  const begun = hostOf(paths) !== undefined || (identity !== undefined && isProcessAlive(identity));
  if (begun && !fs.existsSync(paths.currentInstance)) {
    const started = { identity: identity ?? NO_PROCESS, hosted: identity === undefined };
    // It may have become ready and then holds what its predecessor handed over.
    await endStarted(paths, started, context.clock, { ask: HAND_OVER_SIGNAL });
  }
  forgetStarting(paths);
}

function readNote(paths: SessionPaths): ProcessIdentity | undefined {
  try {
    const note = JSON.parse(readIfExists(noteFile(paths)) ?? 'null') as ProcessIdentity | null;
    return note && Number.isInteger(note.pid) && Number.isInteger(note.startTicks) ? note : undefined;
  } catch {
    return undefined;
  }
}

function noteFile(paths: SessionPaths): string {
  return path.join(paths.run, 'starting.json');
}

/** Waits until exactly this process has ended. False on timeout. */
export async function waitForEnd(
  identity: ProcessIdentity,
  timeoutMs: number,
  clock: Clock,
): Promise<boolean> {
  const deadline = clock.monotonic() + timeoutMs;
  for (let pause = 2; isProcessAlive(identity); pause = Math.min(50, pause * 1.5)) {
    if (clock.monotonic() >= deadline) return false;
    await sleep(clock, pause);
  }
  return true;
}

type EndSignal = 'SIGTERM' | typeof HAND_OVER_SIGNAL;

export type EndedBy = 'already' | EndSignal | 'SIGKILL' | 'nothing';

export interface EndOptions {
  patienceMs?: number;
  ask?: EndSignal;
}

/**
 * Asks a process to end, then kills it. Only exactly this process, identified by its start time, is ever signalled. One
 * with an unknown start time is left alone. `nothing`: it still runs.
 */
export async function endProcess(
  identity: ProcessIdentity,
  clock: Clock,
  { patienceMs = 5000, ask = 'SIGTERM' }: EndOptions = {},
): Promise<EndedBy> {
  if (!isProcessAlive(identity)) return 'already';
  if (identity.startTicks === null) return 'nothing';
  signalProcess(identity, ask);
  if (await waitForEnd(identity, patienceMs, clock)) return ask;
  signalProcess(identity, 'SIGKILL');
  return (await waitForEnd(identity, 2000, clock)) ? 'SIGKILL' : 'nothing';
}
