import * as fs from 'node:fs';
import { asRouseError, isProcessAlive, sleep, tryLockFile } from '../../base/index.ts';
import { hostFiles } from '../../wire/files/host-files.ts';
import { hostOf } from '../host/end-in-host.ts';
import { hostDirectories, readHost } from '../host/hosts.ts';
import { hurryKeeper } from '../host/hurry-keeper.ts';
import { absentGateway, comesBack } from '../records/absent-gateway.ts';
import { readToken } from '../records/gateway-token.ts';
import { isUnkept, readKeeper } from '../records/keeper.ts';
import { probeGateway } from '../records/live-gateway.ts';
import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import { readRegistry } from '../records/registry-read.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { attachLocal } from './attach.ts';
import { endUnkept } from './end-unkept.ts';

export interface StartedGateway {
  agent_name: string;
  session_root: string;
  /** `running`: it ran already. `session_gone`: there is no tmux session to watch. */
  outcome: 'started' | 'running' | 'failed' | 'session_gone';
  gateway_port: number | null;
  error: string | null;
  hint: string | null;
}

/** So many are attached at a time: each starts a gateway and waits for its proof. */
const AT_ONCE = 4;
const RESTART_PATIENCE_MS = 10_000;

/** The agents of this host whose gateway should run, and nothing starts it again. From files; asks nobody. */
export function lostGateways(context: SessionContext): string[] {
  return wanted(context)
    .filter(({ agentName, root }) => absentGateway(sessionPaths(root), agentName).gateway === 'lost')
    .map(({ agentName }) => agentName);
}

/** Brings back every gateway of this home that should run and does not, each as it was last attached. */
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
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  for (const directory of hostDirectories(context.settings.runtimeDir)) forgetDead(directory);
  return done.sort((a, b) => a.agent_name.localeCompare(b.agent_name));
}

function wanted({ settings, clock }: SessionContext): ManifestFacts[] {
  const { fresh, expired } = readRegistry(settings.registryDir, clock.now().getTime());
  return [...fresh, ...expired]
    .flatMap(({ runtime }) => tryManifestFacts(runtime.manifest_path) ?? [])
    .filter(({ backend, root }) => backend !== 'houmao_server_rest' && comesBack(sessionPaths(root)));
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
    const { message, hint, facts: said } = asRouseError(thrown);
    const outcome = said['cause'] === 'session_lost' ? 'session_gone' : 'failed';
    return { ...report, outcome, gateway_port: null, error: message, hint: hint ?? null };
  }
}

/** Also of one that is being started again, which is waited for. */
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

/** What a host and its keeper left behind that were both killed. */
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
