import * as path from 'node:path';
import {
  asRouseError,
  commandLine,
  conflict,
  crashPoint,
  notReady,
  RouseError,
  unavailable,
  unsupported,
  utcStamp,
} from '../../base/index.ts';
import { ANY_PORT, CAPABILITIES, HAND_OVER_SIGNAL, relaunchCommand } from '../../domain/index.ts';
import type { Target } from '../find.ts';
import { askFleet, localInstead, requireFleetAgent } from '../fleet.ts';
import { type Followed, followSession } from '../live-sessions.ts';
import {
  firstExecutionMode,
  liveBindings,
  readBootstrap,
  readDesiredConfig,
  type StatusDocument,
  writeDerivedFiles,
} from '../records/gateway-documents.ts';
import { type GatewayLife, isUnkept, probeGateway, type RecordedGateway } from '../records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from '../records/manifest-facts.ts';
import { readManifest } from '../records/manifest-store.ts';
import { readToken, type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import { noteFailedStart } from '../records/standing-from-files.ts';
import { type SessionContext, withLifecycleLock } from '../session-context.ts';
import { holderOf, tmuxOf } from '../session-tmux.ts';
import {
  type AttachOptions,
  type AttachPlan,
  changesAsked,
  changesInWords,
  desiredAfter,
  type GatewayChange,
  planAttach,
  planChange,
  planOf,
} from './attach-plan.ts';
import { detachHoldingLock, endForGood, endGateway, endHalfStarted } from './detach.ts';
import { hostDirectory, hostOf } from './gateway-host.ts';
import { type GatewayReport, localStatus } from './gateway-status.ts';
import {
  closeGatewayWindow,
  publishCapability,
  publishRegistryRecord,
  registryGateway,
  restoreOffline,
  writeDesired,
} from './publish.ts';
import { startAndProve, startOnFreePort } from './start-gateway.ts';

export interface AttachReport extends GatewayReport {
  /** One was already running. */
  alreadyAttached: boolean;
  /** The settings changed by restarting it; empty if it was left alone or is new. */
  restarted: GatewayChange[];
}

/** Attaches a gateway to an agent: here, or through the fleet server that owns the agent. */
export async function attach(
  context: SessionContext,
  target: Target,
  options: AttachOptions,
): Promise<AttachReport> {
  if (target.kind === 'local') return attachLocal(context, target.facts.path, options);
  const own = await localInstead(context, target, 'attach');
  if (own) return attachLocal(context, own, options);
  if (options.host !== undefined || options.port !== undefined || options.allowUsers) {
    throw unsupported('the address of a gateway behind a fleet server is chosen by that server', {
      hint: 'leave out --gateway-host, --gateway-port and --allow-users',
    });
  }
  await requireFleetAgent(target);
  const agent = { agent_ref: target.agentRef };
  const before = await askFleet(target, 'agents.gateway.status', agent);
  const alreadyAttached = before.gateway_health === 'healthy';
  const alreadyNotes = alreadyAttached ? ['a gateway was attached already'] : [];
  if (alreadyAttached && options.mode === undefined && options.timings === undefined)
    return { status: before, alreadyAttached, restarted: [], notes: alreadyNotes };
  const body = {
    ...(options.mode && { execution_mode: options.mode }),
    ...(options.timings && { tui_tracking_timings: options.timings }),
  };
  const answer = await askFleet(target, 'agents.gateway.attach', { ...agent, body });
  const { restarted = [], ...status } = answer;
  const notes = restarted.length > 0 ? [] : alreadyNotes;
  return { status, alreadyAttached, restarted, notes };
}

/**
 * Attaches a gateway to a session of this host: capability, listener, start, proof, publication, in this order. A live
 * gateway with the requested settings is left alone and reported; one with others is restarted. If a step fails, the
 * session is as before, not attached, and nothing that another process started is touched.
 */
export function attachLocal(
  context: SessionContext,
  manifestPath: string,
  options: AttachOptions,
): Promise<AttachReport> {
  return withLifecycleLock(context, path.dirname(manifestPath), async () => {
    refuseForeground(readManifestFacts(manifestPath), options);
    const followed = await followSession(context, readManifestFacts(manifestPath));
    const facts = await publishCapability(context, manifestPath);
    readManifest(facts.root);
    requireTmuxSession(followed);
    const paths = sessionPaths(facts.root);
    await endHalfStarted(context, paths);
    const replaced = options.freshQueue ? await replaceQueue(context, facts) : [];
    const life = await probeGateway(paths, readToken(paths, context.env));
    if (life.life === 'live') return alreadyLive(context, facts, life, options);
    await clearAway(context, facts, life);
    const plan = planAttach(
      options,
      { env: context.env, statePath: paths.state, first: firstExecutionMode(facts) },
      readDesiredConfig(paths),
      readBootstrap(paths),
    );
    const report = await startAndPublish(context, facts, plan);
    return { ...report, notes: [...replaced, ...report.notes], alreadyAttached: false, restarted: [] };
  });
}

/** Lists show a start that failed, unless the person broke it off. */
async function startAndPublish(
  context: SessionContext,
  facts: ManifestFacts,
  plan: AttachPlan,
): Promise<GatewayReport> {
  try {
    return await publishLive(context, facts, await startOnFreePort(context, facts, plan), plan);
  } catch (error) {
    if (!context.signal?.aborted) noteFailedStart(sessionPaths(facts.root), asRouseError(error));
    throw error;
  }
}

/** Needs the life-cycle lock. A gateway that still has the old file open is ended first. */
async function replaceQueue(context: SessionContext, facts: ManifestFacts): Promise<string[]> {
  await detachHoldingLock(context, facts);
  const { replaceLostQueue } = await import('../../gateway/offline.ts');
  const stamp = utcStamp(context.clock.now()).replace(/[-:.]/g, '');
  const done = replaceLostQueue(sessionPaths(facts.root).gateway, stamp);
  if (!done) return ['its queue file is sound, and was kept'];
  const aside = done.keptAside.length > 0 ? `; what was left of the old one is in ${done.keptAside[0]}` : '';
  return [
    `its queue is a new one, with the wakes it had and without the requests and reminders of the old one${aside}`,
  ];
}

function refuseForeground(facts: ManifestFacts, { mode }: AttachOptions): void {
  const { backend, agentName, sharesSession } = facts;
  const { owner } = CAPABILITIES[backend];
  if (sharesSession && mode === 'tmux_auxiliary_window')
    throw unsupported(
      `agent ${agentName} shares its tmux session with another agent: a gateway's window there would be that agent's`,
      {
        hint: 'attach it hosted (the default for this agent) or in the background',
        facts: { cause: 'foreground_unsupported' },
      },
    );
  if (owner === null || mode !== 'tmux_auxiliary_window') return;
  throw unsupported(
    `${owner} owns the tmux session of agent ${agentName}: a window there would be ${owner}'s`,
    {
      hint: 'attach it in the background, which is the default for this agent',
      facts: { cause: 'foreground_unsupported' },
    },
  );
}

function requireTmuxSession({ facts, lives }: Followed): void {
  if (lives) return;
  throw unavailable(`tmux session "${facts.tmuxSessionName}" of agent ${facts.agentName} is gone`, {
    hint: `"${relaunchCommand(facts.agentName)}" brings the agent back`,
    facts: { cause: 'session_lost' },
  });
}

/**
 * A gateway is already live. Reports it unless another mode or timing is requested. Another address than its own is
 * refused.
 */
async function alreadyLive(
  context: SessionContext,
  facts: ManifestFacts,
  { gateway }: Extract<GatewayLife, { life: 'live' }>,
  options: AttachOptions,
): Promise<AttachReport> {
  const otherPort = options.port !== undefined && options.port !== ANY_PORT && options.port !== gateway.port;
  const otherHost = options.host !== undefined && options.host !== gateway.host;
  if (otherPort || otherHost) {
    throw conflict(`a gateway is attached already, on ${gateway.host}:${gateway.port}`, {
      hint: 'detach it first to change its address',
      facts: { cause: 'already_attached', gateway_host: gateway.host, gateway_port: gateway.port },
    });
  }
  const paths = sessionPaths(facts.root);
  const running = planOf(gateway, readDesiredConfig(paths));
  const changes = changesAsked(options, running);
  const unkept = isUnkept(paths) && hostOf(paths) === undefined;
  if (changes.length > 0 || unkept) {
    const wanted = planChange(running, options);
    const report = await restartGateway(context, facts, { gateway, running, wanted, changes });
    const notes = [
      ...(unkept ? ['it had lost its keeper and was restarted with another'] : []),
      ...report.notes,
    ];
    return { ...report, notes, alreadyAttached: true, restarted: changes };
  }
  const report = await localStatus(context, facts);
  // The attach that started it may have been killed before it wrote this.
  rememberPlan(paths, running, gateway);
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  const notes = ['a gateway was attached already', ...olderBuild(context, facts), ...report.notes];
  return { ...report, alreadyAttached: true, restarted: [], notes };
}

/** Each build of the program has a host of its own. */
function olderBuild(context: SessionContext, { agentName, root }: ManifestFacts): string[] {
  const host = hostOf(sessionPaths(root));
  if (host === undefined || host === hostDirectory(context, context.env)) return [];
  const words = ['detach', 'attach'].map(
    (word) => `"${commandLine`rouse agents gateway ${word} --agent-name ${agentName}`}"`,
  );
  return [`it runs in the host of another build of Rouse; ${words.join(' and ')} bring it into this one`];
}

/** Ends a gateway that runs but does not answer, because it holds the lock, and then its keeper. */
async function clearAway(context: SessionContext, facts: ManifestFacts, life: GatewayLife): Promise<void> {
  const paths = sessionPaths(facts.root);
  if (life.life === 'silent') {
    const ended = await endForGood(paths, life.gateway.identity, context.clock);
    if (ended === 'nothing') {
      throw conflict(
        `process ${life.gateway.identity.pid} holds this session's gateway and does not answer`,
        {
          hint: 'end it by hand and attach again',
          facts: { cause: 'gateway_silent', pid: life.gateway.identity.pid },
        },
      );
    }
  }
  await endForGood(paths, undefined, context.clock);
  if (life.life !== 'none') await restoreOffline(context, facts);
}

/** Long enough for text that is being typed. A plain detach waits less. */
const PATIENCE_MS = 15_000;

export interface GatewayRestart {
  /** The live gateway, and its settings. */
  gateway: RecordedGateway;
  running: AttachPlan;
  wanted: AttachPlan;
  changes: readonly GatewayChange[];
}

/**
 * Replaces a live gateway by one with other settings at the same address. Queue and notifier are on disk; live reminders
 * are handed over. If it does not start, a gateway with the former settings is started.
 */
export async function restartGateway(
  context: SessionContext,
  facts: ManifestFacts,
  restart: GatewayRestart,
): Promise<GatewayReport> {
  const { gateway, wanted } = restart;
  context.progress?.('restarting the gateway');
  crashPoint('session.restart.before_end');
  await endGateway(context, facts, gateway, { ask: HAND_OVER_SIGNAL, patienceMs: PATIENCE_MS });
  await closeGatewayWindow(context, facts, gateway);
  crashPoint('session.restart.ended');
  try {
    const next = await startAndProve(context, facts, wanted, gateway.port);
    return await publishLive(context, facts, next, wanted);
  } catch (error) {
    throw await bringBack(context, facts, restart, asRouseError(error));
  }
}

/** Runs even if the caller was aborted, because the former gateway must run again. Returns the error to throw. */
async function bringBack(
  context: SessionContext,
  facts: ManifestFacts,
  { running, changes }: GatewayRestart,
  error: RouseError,
): Promise<RouseError> {
  const patient = { ...context, signal: undefined };
  let after = 'it was brought back as it was';
  let broughtBack = true;
  try {
    const again = await startOnFreePort(patient, facts, running);
    await publishLive(patient, facts, again, running);
  } catch (thrown) {
    broughtBack = false;
    after = `it could not be brought back either: ${asRouseError(thrown).message}`;
  }
  return new RouseError(
    error.code,
    `the gateway could not be restarted with ${changesInWords(changes) || 'another keeper'}: ${error.message}; ${after}`,
    {
      ...(error.hint !== undefined && { hint: error.hint }),
      facts: { ...error.facts, brought_back: broughtBack },
      cause: error,
    },
  );
}

/** Publishes the gateway. Its port is stored with its origin: assigned or requested. */
export async function publishLive(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway,
  plan: AttachPlan,
): Promise<GatewayReport> {
  const paths = sessionPaths(facts.root);
  rememberPlan(paths, plan, gateway);
  crashPoint('session.attach.before_publish');
  writeDerivedFiles(paths, facts, gateway);
  const tmux = tmuxOf(context, facts);
  await tmux.setEnvironment(holderOf(facts), liveBindings(paths, gateway));
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  crashPoint('session.attach.published');
  const report = await localStatus(context, facts);
  requireHealthy(report.status);
  return report;
}

/** Stores what the next attach starts from. */
export function rememberPlan(paths: SessionPaths, plan: AttachPlan, gateway: RecordedGateway): void {
  writeDesired(paths, desiredAfter(readDesiredConfig(paths), plan, gateway));
}

function requireHealthy(status: StatusDocument): void {
  if (status.gateway_health === 'healthy') return;
  throw notReady('the gateway was attached but ended at once', {
    hint: 'see its gateway.log',
    facts: { cause: 'lost_after_attach' },
  });
}
