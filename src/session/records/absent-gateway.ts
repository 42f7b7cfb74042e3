import * as fs from 'node:fs';
import {
  commandLine,
  isProcessAlive,
  readIfExists,
  readObjectIfAny,
  writeJsonAtomic,
} from '../../base/index.ts';
import { commandIn, describeStanding, START_HOSTS, type Standing } from '../../domain/index.ts';
import { besideOf } from '../../wire/files/beside.ts';
import { freshQueueCommand, freshQueueWords, lostQueue } from '../../wire/files/session-files.ts';
import { readDesiredConfig } from './gateway-documents.ts';
import { type KeeperRecord, readKeeper } from './keeper.ts';
import { muteStanding } from './seen-from-outside.ts';
import type { SessionPaths } from './session-paths.ts';

/**
 * A session whose gateway does not run. `restarting`: it ended and is started again. `down`: it ended too often and is not.
 * `lost`: it should run, and nobody starts it again. `not_attached`: none was asked for.
 */
export interface AbsentGateway {
  gateway: 'restarting' | 'down' | 'lost' | 'not_attached';
  since: string | null;
  /** What a person has to do, with the one command that does it; null while nobody is needed. */
  needs_you: string | null;
  command?: string;
}

/** Where a session's gateway is missing: how, and what brings it back. From files; asks nobody. */
export function absentGateway(paths: SessionPaths, agentName: string): AbsentGateway {
  const absent = missingGateway(paths, agentName);
  const lost = absent.gateway === 'not_attached' ? undefined : lostQueue(paths);
  if (lost === undefined) return absent;
  return {
    ...absent,
    needs_you: `its gateway cannot start: ${lost}; ${freshQueueWords(agentName)}`,
    command: freshQueueCommand(agentName),
  };
}

function missingGateway(paths: SessionPaths, agentName: string): AbsentGateway {
  const keeper = readKeeper(paths);
  const since = keeper?.sinceUtc ?? null;
  if (keeper?.gaveUp) {
    const why = lastFailure(paths) ?? 'it ended by itself too often';
    const named = commandIn(why);
    const command = named ?? commandLine`rouse agents gateway attach ${agentName}`;
    const needs_you = `its gateway is down: ${why}${named ? '' : `; "${command}" starts it`}`;
    return { gateway: 'down', since, needs_you, command };
  }
  if (keeper && isProcessAlive(keeper.identity))
    return { gateway: 'restarting', since, ...whySlow(keeper, agentName) };
  if (!isWanted(paths)) return { gateway: 'not_attached', since: null, ...NOBODY };
  const needs_you = `its gateway is gone and nothing starts it again; "${START_HOSTS}" brings it back`;
  return { gateway: 'lost', since: null, needs_you, command: START_HOSTS };
}

const NOBODY = { needs_you: null };

function whySlow(
  { suspect, slow, restarts }: KeeperRecord,
  agentName: string,
): Pick<AbsentGateway, 'needs_you' | 'command'> {
  if (suspect) {
    const command = commandLine`rouse agents gateway attach ${agentName} --background`;
    const words =
      'its gateway is suspected of ending the host of all gateways, so it is started last, alone and seldom';
    return { needs_you: `${words}; "${command}" gives it a process of its own`, command };
  }
  if (!slow) return NOBODY;
  const words = `the host of its gateway has ended ${restarts} times and is started again slowly`;
  return { needs_you: `${words}; "${START_HOSTS}" starts it now`, command: START_HOSTS };
}

/** An agent of which no gateway reports, as far as files tell. */
export interface Unreported {
  gateway: 'live' | AbsentGateway['gateway'];
  since: string | null;
  standing: Standing;
}

/**
 * The one place that says what the silence of a gateway means: it cannot write its files, it is missing and a person is
 * needed, it is being started, or none was asked for.
 */
export function unreported(paths: SessionPaths, agentName: string): Unreported {
  const mute = muteStanding(paths, agentName);
  if (mute) return { gateway: 'live', since: null, standing: mute };
  const about = { agent: agentName };
  const { gateway, since, needs_you, command } = absentGateway(paths, agentName);
  if (needs_you !== null) {
    const found = { code: 'gateway_missing' as const, value: needs_you, command };
    return { gateway, since, standing: describeStanding(found, about) };
  }
  const code = gateway === 'restarting' ? ('gateway_starting' as const) : ('gateway_not_attached' as const);
  return { gateway, since, standing: describeStanding({ code }, about) };
}

/** Whether a gateway should run: one was attached, and nobody has detached it. */
export function isWanted(paths: SessionPaths): boolean {
  const { desired_state: state } = readDesiredConfig(paths);
  return state == null ? fs.existsSync(paths.keeper) : state === 'attached';
}

/** Notes whether a gateway should run. `stopped`: it comes back with its host. */
export function wantGateway(paths: SessionPaths, state: 'stopped' | null): void {
  const published = readObjectIfAny(paths.desiredConfig);
  if ((readDesiredConfig(paths).desired_state ?? null) === state || published === undefined) return;
  const { desired_state: before, ...rest } = published;
  const { desired_state: _, ...beside } = readObjectIfAny(besideOf(paths.desiredConfig)) ?? {
    desired_port: published['desired_port'],
  };
  writeJsonAtomic(besideOf(paths.desiredConfig), { ...beside, ...(state && { desired_state: state }) });
  // Version 0.1.0 wrote it there.
  if (before !== undefined) writeJsonAtomic(paths.desiredConfig, rest);
}

/** Brought back by "rouse host start". */
export function comesBack(paths: SessionPaths): boolean {
  return readDesiredConfig(paths).desired_state === 'stopped' || isWanted(paths);
}

/** Why the last start failed, as the gateway itself wrote it. */
function lastFailure({ attempt }: SessionPaths): string | undefined {
  try {
    const said = JSON.parse(readIfExists(attempt) ?? 'null') as {
      status?: unknown;
      message?: unknown;
    } | null;
    return said?.status === 'failed' && typeof said.message === 'string' ? said.message : undefined;
  } catch {
    return undefined;
  }
}
