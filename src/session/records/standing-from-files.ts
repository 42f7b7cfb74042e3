import * as fs from 'node:fs';
import {
  commandLine,
  isProcessAlive,
  isProcessStopped,
  type RouseError,
  readIfExists,
  readObjectIfAny,
  whyUnwritable,
  writeJsonAtomic,
} from '../../base/index.ts';
import {
  type AbsentGatewayState,
  type AgentNeed,
  commandIn,
  describeStanding,
  FIX_UNWRITABLE,
  type GatewayTrouble,
  needKind,
  START_HOSTS,
  type Standing,
  type StandingNeed,
  standingOf,
} from '../../domain/index.ts';
import { inboxDirectory } from '../../mail/inbox-count.ts';
import type { MailboxBinding } from '../../mail/index.ts';
import { besideOf } from '../../wire/files/beside.ts';
import {
  type AttemptResult,
  freshQueueCommand,
  freshQueueWords,
  lostQueue,
} from '../../wire/files/session-files.ts';
import type { GlanceFile } from '../../wire/index.ts';
import { readDesiredConfig } from './gateway-documents.ts';
import { isUnkept, type KeeperRecord, readKeeper, readRecordedGateway } from './live-gateway.ts';
import type { SessionPaths } from './session-paths.ts';

/** A session whose gateway does not run. */
interface AbsentGateway {
  gateway: AbsentGatewayState;
  since: string | null;
  /** What a person has to do, with the one command for it; null if no one is needed. */
  needs_you: string | null;
  command?: string;
}

/** Why a session's gateway is missing, and what brings it back. Reads only files. */
export function absentGateway(paths: SessionPaths, agentName: string): AbsentGateway {
  const absent = missingGateway(paths, agentName);
  const isWished = absent.gateway !== 'not_attached' || absent.needs_you !== null;
  const lost = isWished ? lostQueue(paths) : undefined;
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
  if (!isWanted(paths)) return { gateway: 'not_attached', since: null, ...whyNotStarted(paths, agentName) };
  const needs_you = `its gateway is gone and nothing starts it again; "${START_HOSTS}" brings it back`;
  return { gateway: 'lost', since: null, needs_you, command: START_HOSTS };
}

const NO_ONE_NEEDED = { needs_you: null };

const NOT_STARTED = /^the gateway did not start: /;

/** A person asked for a gateway, and it did not start. A detach withdraws that. */
function whyNotStarted(paths: SessionPaths, agentName: string): Pick<AbsentGateway, 'needs_you' | 'command'> {
  const why = lastFailure(paths);
  if (why === undefined) return NO_ONE_NEEDED;
  const named = commandIn(why);
  const command = named ?? commandLine`rouse agents gateway attach ${agentName}`;
  const words = `its gateway did not start: ${why.replace(NOT_STARTED, '')}`;
  return { needs_you: named ? words : `${words}; "${command}" tries again`, command };
}

function whySlow(
  { suspect, slow, restarts }: KeeperRecord,
  agentName: string,
): Pick<AbsentGateway, 'needs_you' | 'command'> {
  if (suspect) {
    const command = commandLine`rouse agents gateway attach ${agentName} --background`;
    const words =
      'its gateway is suspected of ending the host of all gateways, so it is started last, alone and rarely';
    return { needs_you: `${words}; "${command}" gives it a process of its own`, command };
  }
  if (!slow) return NO_ONE_NEEDED;
  const words = `the host of its gateway has ended ${restarts} times and is restarted slowly`;
  return { needs_you: `${words}; "${START_HOSTS}" starts it now`, command: START_HOSTS };
}

/** An agent without a gateway that reports on it, as far as files show. */
export interface Unreported {
  gateway: 'live' | AbsentGateway['gateway'];
  since: string | null;
  standing: Standing;
}

/**
 * The one place that explains why a gateway does not report: it cannot write its files, it is missing and a person is
 * needed, it is being started, or none was requested.
 */
export function unreported(paths: SessionPaths, agentName: string): Unreported {
  const unable = cannotWriteStanding(paths, agentName);
  if (unable) return { gateway: 'live', since: null, standing: unable };
  const about = { agent: agentName };
  const { gateway, since, needs_you, command } = absentGateway(paths, agentName);
  if (needs_you !== null) {
    const found = { code: 'gateway_missing' as const, value: needs_you, command };
    return { gateway, since, standing: describeStanding(found, about) };
  }
  const code = gateway === 'restarting' ? ('gateway_starting' as const) : ('gateway_not_attached' as const);
  return { gateway, since, standing: describeStanding({ code }, about) };
}

/** Whether a gateway should run: one was attached and not detached. */
export function isWanted(paths: SessionPaths): boolean {
  const { desired_state: state } = readDesiredConfig(paths);
  return state == null ? fs.existsSync(paths.keeper) : state === 'attached';
}

/** Records whether a gateway should run. `stopped`: it comes back with its host. */
export function wantGateway(paths: SessionPaths, state: 'stopped' | null): void {
  const published = readObjectIfAny(paths.desiredConfig);
  if ((readDesiredConfig(paths).desired_state ?? null) === state || published === undefined) return;
  const { desired_state: before, ...rest } = published;
  const { desired_state: _, ...beside } = readObjectIfAny(besideOf(paths.desiredConfig)) ?? {
    desired_port: published['desired_port'],
  };
  writeJsonAtomic(besideOf(paths.desiredConfig), { ...beside, ...(state && { desired_state: state }) });
  // Version 0.1.0 wrote the field there.
  if (before !== undefined) writeJsonAtomic(paths.desiredConfig, rest);
}

/** Kept until the next start or detach, so that lists can show that a gateway was asked for. */
export function noteFailedStart(paths: SessionPaths, { code, message }: RouseError): void {
  const failed: AttemptResult = { status: 'failed', code, message };
  writeJsonAtomic(paths.attempt, failed, { durable: false });
}

/** Whether "rouse host start" brings it back. */
export function comesBack(paths: SessionPaths): boolean {
  return readDesiredConfig(paths).desired_state === 'stopped' || isWanted(paths);
}

/** Why the last start failed, as the gateway itself wrote it. */
function lastFailure({ attempt }: SessionPaths): string | undefined {
  try {
    const result = JSON.parse(readIfExists(attempt) ?? 'null') as {
      status?: AttemptResult['status'];
      message?: unknown;
    } | null;
    return result?.status === 'failed' && typeof result.message === 'string' ? result.message : undefined;
  } catch {
    return undefined;
  }
}

/** Facts about a running gateway that are visible from outside and that it may not know itself. */

export interface OfAgent {
  agentName: string;
  mailbox: Partial<MailboxBinding> | undefined;
}

/** The standing that the gateway last reported, corrected by what is visible from outside. */
export function seenFromOutside(standing: Standing, paths: SessionPaths, agent: OfAgent): Standing {
  if (standing.state === 'gone') return standing;
  const unwritable = whyUnwritable(paths.gateway);
  const gateway_trouble =
    unwritable === undefined
      ? (stoppedProcess(paths, agent) ?? lostMailbox(agent))
      : { reason: unwritable, ...FIX_UNWRITABLE };
  if (gateway_trouble) return standingOf({ tool: '', reasons: undefined, gateway_trouble });
  if (standing.needs_you !== null || !isUnkept(paths)) return standing;
  const { needs_you, need } = describeStanding({ code: 'gateway_unkept' }, {});
  return { ...standing, needs_you, ...(need && { need }) };
}

function stoppedProcess(paths: SessionPaths, { agentName }: OfAgent): GatewayTrouble | undefined {
  const recorded = readRecordedGateway(paths);
  if (recorded === undefined || typeof recorded === 'string' || !isProcessStopped(recorded.identity))
    return undefined;
  const hosted = recorded.executionMode === 'hosted';
  const command = hosted ? START_HOSTS : commandLine`rouse agents gateway attach ${agentName}`;
  return {
    reason: `its process ${recorded.identity.pid} is stopped (SIGSTOP)`,
    fix: `"${command}" replaces it`,
    command,
  };
}

/** Its gateway notices only at its next check of the mail, which may be much later. */
function lostMailbox({ agentName, mailbox }: OfAgent): GatewayTrouble | undefined {
  const inbox = inboxDirectory(mailbox);
  if (inbox === undefined || fs.existsSync(inbox)) return undefined;
  const command = commandLine`rouse agents mailbox register ${agentName}`;
  return {
    reason: `its mailbox cannot be read: ${inbox} does not exist`,
    fix: `put it back, and it goes on by itself; "${command}" makes an empty one in its place`,
    command,
  };
}

/** A gateway this young may not have written its glance file yet. */
const JUST_STARTED_MS = 2000;

/** For a running gateway that removed its glance file because it cannot write it. Otherwise undefined. */
function cannotWriteStanding(paths: SessionPaths, agentName: string): Standing | undefined {
  if (isJson(paths.glance)) return undefined;
  const recorded = readRecordedGateway(paths);
  if (recorded === undefined || typeof recorded === 'string' || !isProcessAlive(recorded.identity))
    return undefined;
  const stat = fs.statSync(paths.currentInstance, { throwIfNoEntry: false });
  if (!stat || Math.abs(Date.now() - stat.mtimeMs) < JUST_STARTED_MS) return undefined;
  const command = commandLine`rouse status ${agentName}`;
  const value = `its gateway cannot write its files; "${command}" shows why`;
  return describeStanding({ code: 'gateway_in_trouble', value, command }, { agent: agentName });
}

/** False for a moment while the glance file is being overwritten. */
function isJson(file: string): boolean {
  try {
    JSON.parse(readIfExists(file) ?? '');
    return true;
  } catch {
    return false;
  }
}

type GlancePath = Pick<SessionPaths, 'glance'>;

/** What the session's gateway last wrote about its agent; undefined if that gateway no longer runs. */
export function readGlance(paths: GlancePath): GlanceFile | undefined {
  const file = readFile(paths);
  return file?.written_by && isProcessAlive(file.written_by) ? file : undefined;
}

/** Deliveries that ended badly. They count even if the gateway that wrote them has ended. */
export function readUndelivered(paths: GlancePath): AgentNeed[] {
  return readFile(paths)?.undelivered ?? [];
}

function readFile({ glance }: GlancePath): GlanceFile | undefined {
  try {
    const file = JSON.parse(readIfExists(glance) ?? 'null') as GlanceFile | null;
    if (file?.schema_version !== 1) return undefined;
    if (typeof file.standing?.state !== 'string' || typeof file.wakes?.on !== 'boolean') return undefined;
    const need = knownNeed(file.standing);
    const standing = { ...file.standing, ...(need && { need }) };
    const undelivered = file.undelivered?.map((each) => ({ ...each, kind: needKind(each.kind) }));
    return { ...file, standing, ...(undelivered && { undelivered }) };
  } catch {
    return undefined;
  }
}

/** A gateway of an older version only reports that a person is needed. */
function knownNeed({ need, needs_you }: Standing): StandingNeed | undefined {
  if (need) return { ...need, kind: needKind(need.kind) };
  if (needs_you === null) return undefined;
  const command = commandIn(needs_you);
  return { kind: 'other', ...(command !== undefined && { command }) };
}
