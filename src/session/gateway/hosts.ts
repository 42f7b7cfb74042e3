import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  isProcessAlive,
  signalProcess,
  sleep,
  tryLockFile,
  unavailable,
} from '../../base/index.ts';
import { hostFiles } from '../../wire/files/host-files.ts';
import { manifestFiles } from '../../wire/files/session-files.ts';
import type { HostedView } from '../../wire/host.ts';
import { BACKEND } from '../../wire/houmao/index.ts';
import { isUnkept, probeGateway, readKeeper } from '../records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { readRegistry } from '../records/registry-read.ts';
import { readToken, sessionPaths } from '../records/session-paths.ts';
import { absentGateway, comesBack } from '../records/standing-from-files.ts';
import type { SessionContext } from '../session-context.ts';
import { attachLocal } from './attach.ts';
import { detachLocal, endProcess, waitForEnd } from './detach.ts';
import {
  askHost,
  hostDirectories,
  hostOf,
  hurryKeeper,
  type RecordedHost,
  readHost,
} from './gateway-host.ts';

export interface HostedAgent {
  agent_name: string | null;
  session_root: string;
  state: HostedView['state'];
  gateway_port: number | null;
  restarts: number;
}

export interface HostReport {
  pid: number;
  started_at_utc: string;
  directory: string;
  /** It runs and responds. */
  answers: boolean;
  /** How often it was restarted after it had ended by itself. */
  restarts: number;
  gateways: HostedAgent[];
}

const PATIENCE_MS = 5000;

/** The running hosts of this home: usually one or none, and an older one while its gateways move to a newer program. */
export async function hostsOfHome(context: SessionContext): Promise<HostReport[]> {
  const reports = hostDirectories(context.settings.runtimeDir).map(async (directory) => {
    const host = readHost(directory);
    return host && isProcessAlive(host.identity) ? [await reportOf(host)] : [];
  });
  return (await Promise.all(reports)).flat();
}

async function reportOf({ directory, identity, startedAtUtc }: RecordedHost): Promise<HostReport> {
  const reply = await askHost(directory, { do: 'status' }, PATIENCE_MS);
  const answers = typeof reply === 'object' && reply.ok;
  return {
    pid: identity.pid,
    started_at_utc: startedAtUtc,
    directory,
    answers,
    restarts: readKeeper(hostFiles(directory))?.restarts ?? 0,
    gateways: answers ? reply.gateways.map(agentOf) : [],
  };
}

function agentOf({ root, state, port, restarts }: HostedView): HostedAgent {
  const session = path.dirname(root);
  return {
    agent_name: nameOf(session),
    session_root: session,
    state,
    gateway_port: port,
    restarts,
  };
}

function nameOf(sessionRoot: string): string | null {
  try {
    return readManifestFacts(manifestFiles(sessionRoot).manifest).agentName;
  } catch {
    return null;
  }
}

/** Detaches every gateway of every host. Each host ends with its last one; a host that does not answer is killed. */
export async function stopHosts(context: SessionContext): Promise<HostReport[]> {
  const reports = await hostsOfHome(context);
  for (const { directory, gateways, answers } of reports) {
    for (const { session_root } of gateways)
      await detachLocal(context, manifestFiles(session_root).manifest, { until: 'host_start' }).catch(
        () => {},
      );
    if (answers) await askHost(directory, { do: 'stop' }, PATIENCE_MS);
    await requireEnd(context, directory);
  }
  return reports;
}

async function requireEnd({ clock }: SessionContext, directory: string): Promise<void> {
  const host = readHost(directory);
  if (!host || (await waitForEnd(host.identity, PATIENCE_MS, clock))) return;
  const keeper = readKeeper(hostFiles(directory));
  if (keeper) signalProcess(keeper.identity, 'SIGTERM');
  if ((await endProcess(host.identity, clock)) !== 'nothing') return;
  throw unavailable(`host ${host.identity.pid} does not end`, { hint: 'end it by hand' });
}

export interface StartedGateway {
  agent_name: string;
  session_root: string;
  /** `running`: it was already running. `session_gone`: there is no tmux session to watch. */
  outcome: 'started' | 'running' | 'failed' | 'session_gone';
  gateway_port: number | null;
  error: string | null;
  hint: string | null;
}

/** How many are attached at the same time. Each starts a gateway and waits for its proof. */
const MAX_AT_ONCE = 4;
const RESTART_PATIENCE_MS = 10_000;

/** The agents of this host whose gateway should run but will not be restarted. Reads only files. */
export function lostGateways(context: SessionContext): string[] {
  return wanted(context)
    .filter(({ agentName, root }) => absentGateway(sessionPaths(root), agentName).gateway === 'lost')
    .map(({ agentName }) => agentName);
}

/** Brings back every gateway of this home that should run but does not, with the settings of its last attach. */
export async function startHosts(context: SessionContext): Promise<StartedGateway[]> {
  for (const directory of hostDirectories(context.settings.runtimeDir)) {
    hurryKeeper(hostFiles(directory));
    await endUnkept(context, directory);
  }
  const left = wanted(context);
  const done: StartedGateway[] = [];
  const next = async (): Promise<void> => {
    for (let one = left.shift(); one; one = left.shift()) done.push(await startGatewayOf(context, one));
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, next));
  for (const directory of hostDirectories(context.settings.runtimeDir)) forgetDead(directory);
  return done.sort((a, b) => a.agent_name.localeCompare(b.agent_name));
}

function wanted({ settings, clock }: SessionContext): ManifestFacts[] {
  const { fresh, expired } = readRegistry(settings.registryDir, clock.now().getTime());
  return [...fresh, ...expired]
    .flatMap(({ runtime }) => tryManifestFacts(runtime.manifest_path) ?? [])
    .filter(({ backend, root }) => backend !== BACKEND.server && comesBack(sessionPaths(root)));
}

async function startGatewayOf(context: SessionContext, facts: ManifestFacts): Promise<StartedGateway> {
  const report = { agent_name: facts.agentName, session_root: facts.root, error: null, hint: null };
  try {
    const port = await portOfLiving(context, facts);
    if (port !== undefined && !isUnkept(sessionPaths(facts.root)))
      return { ...report, outcome: 'running', gateway_port: port };
    const { status } = await attachLocal(context, facts.path, {});
    return { ...report, outcome: 'started', gateway_port: status.gateway_port };
  } catch (thrown) {
    const { message, hint, facts: errorFacts } = asRouseError(thrown);
    const outcome = errorFacts['cause'] === 'session_lost' ? 'session_gone' : 'failed';
    return { ...report, outcome, gateway_port: null, error: message, hint: hint ?? null };
  }
}

/** The port of a live gateway. Waits for one that is being restarted. */
async function portOfLiving(context: SessionContext, { root }: ManifestFacts): Promise<number | undefined> {
  const { env, clock } = context;
  const paths = sessionPaths(root);
  if (hostOf(paths) === undefined) hurryKeeper(paths);
  const deadline = clock.monotonic() + RESTART_PATIENCE_MS;
  for (;;) {
    const life = await probeGateway(paths, readToken(paths, env));
    if (life.life === 'live') return life.gateway.port;
    if (life.life !== 'restarting' || readKeeper(paths)?.suspect || clock.monotonic() > deadline)
      return undefined;
    await sleep(clock, 50);
  }
}

/** Removes the records of a host that was killed together with its keeper. */
function forgetDead(directory: string): void {
  const files = hostFiles(directory);
  const host = readHost(directory);
  const keeper = readKeeper(files);
  if (!host || isProcessAlive(host.identity) || (keeper && isProcessAlive(keeper.identity))) return;
  const lock = tryLockFile(files.startLock);
  if (!lock) return;
  try {
    for (const file of [files.currentInstance, files.keeper]) fs.rmSync(file, { force: true });
  } finally {
    lock.release();
  }
}

/** Long enough for text that is being typed. */
const UNKEPT_PATIENCE_MS = 15_000;

/**
 * Ends a host whose keeper was killed, since a process cannot get another parent. The next attach starts a host with a
 * keeper. Its gateways are still wanted, and their live reminders are left for their successors.
 */
export async function endUnkept({ clock }: SessionContext, directory: string): Promise<void> {
  const host = readHost(directory);
  if (!host || !isProcessAlive(host.identity) || !isUnkept(hostFiles(directory))) return;
  await askHost(directory, { do: 'stop', hand_over: true }, UNKEPT_PATIENCE_MS);
  await waitForEnd(host.identity, UNKEPT_PATIENCE_MS, clock);
}
