import * as path from 'node:path';
import {
  conflict,
  crashPoint,
  isRouseError,
  newUuid,
  notReady,
  type RouseError,
  readIfExists,
  unavailable,
  writeJsonAtomic,
} from '../base/index.ts';
import {
  ANY_PORT,
  type ExecutionMode,
  type PartialTimings,
  type ResolvedListener,
  resolveListener,
  resolveTimings,
  type TuiTimings,
} from '../domain/index.ts';
import { type DesiredConfigFile, desiredConfigFile, parseFile } from '../wire/index.ts';
import { type AttemptOutcome, waitForAttempt } from './attach-attempt.ts';
import { restoreOffline } from './clear-stale.ts';
import {
  FIRST_EXECUTION_MODE,
  readDesiredConfig,
  type StatusDocument,
  writeDerivedFiles,
} from './gateway-documents.ts';
import { type GatewayReport, localStatus } from './gateway-status.ts';
import { readToken } from './gateway-token.ts';
import { endHalfStarted, forgetStarting, noteStarting } from './half-started.ts';
import { withLifecycleLock } from './lifecycle-lock.ts';
import { liveBindings } from './live-bindings.ts';
import { type GatewayLife, probeGateway, type RecordedGateway } from './live-gateway.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { readManifest } from './manifest-store.ts';
import { endProcess } from './process-end.ts';
import { publishCapability, publishRegistryRecord } from './publish-capability.ts';
import type { SessionContext } from './session-context.ts';
import { sessionPaths } from './session-paths.ts';
import { SessionTmux } from './session-tmux.ts';
import { errorFile, type GatewayStart, type StartedGateway, startGateway } from './start-gateway.ts';
import { DEFAULT_SOCKET } from './tmux-socket.ts';

export interface AttachOptions {
  host?: string | undefined;
  port?: number | undefined;
  mode?: ExecutionMode | undefined;
  timings?: PartialTimings | undefined;
}

export interface AttachReport extends GatewayReport {
  alreadyAttached: boolean;
}

const READY_TIMEOUT_MS = 10_000;

/**
 * Attaches a gateway to a session of this host: capability, listener, start, proof, publication, in this order.
 * A gateway that lives is left alone and reported. Whatever fails leaves the session as it was, not attached, and
 * touches nothing that somebody else started.
 */
export function attachLocal(
  context: SessionContext,
  manifestPath: string,
  options: AttachOptions,
): Promise<AttachReport> {
  return withLifecycleLock(context, path.dirname(manifestPath), async () => {
    const facts = await publishCapability(context, manifestPath);
    readManifest(facts.root);
    await requireTmuxSession(context, facts);
    const paths = sessionPaths(facts.root);
    await endHalfStarted(context, paths);
    const life = await probeGateway(paths, readToken(paths, context.env));
    if (life.life === 'live') return alreadyLive(context, facts, life, options);
    await clearAway(context, facts, life);
    const plan = makePlan(context, facts, options);
    const gateway = await startOnFreePort(context, facts, plan);
    return { ...(await publishLive(context, facts, gateway, plan)), alreadyAttached: false };
  });
}

async function requireTmuxSession(context: SessionContext, facts: ManifestFacts): Promise<void> {
  const tmux = new SessionTmux(facts.tmuxSocket ?? DEFAULT_SOCKET, context.env);
  if (await tmux.hasSession(facts.tmuxSessionName)) return;
  throw unavailable(`tmux session "${facts.tmuxSessionName}" of agent ${facts.agentName} is gone`, {
    hint: '"rouse agents relaunch" brings the agent back',
    facts: { cause: 'session_lost' },
  });
}

/** Live already: the same answer again. An address that was asked for and is not the one it has cannot be promised. */
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
      hint: 'detach it first to give it another address',
      facts: { cause: 'already_attached', gateway_host: gateway.host, gateway_port: gateway.port },
    });
  }
  const report = await localStatus(context, facts);
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  return { ...report, alreadyAttached: true, notes: ['a gateway was attached already', ...report.notes] };
}

/** A gateway that runs but does not answer is ended first: it holds the lock, and nobody can use it. */
async function clearAway(context: SessionContext, facts: ManifestFacts, life: GatewayLife): Promise<void> {
  if (life.life === 'silent') {
    const ended = await endProcess(life.gateway.identity, context.clock);
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
  if (life.life !== 'none') await restoreOffline(context, facts);
}

interface AttachPlan {
  listener: ResolvedListener;
  mode: ExecutionMode;
  timings: TuiTimings;
}

function makePlan(context: SessionContext, facts: ManifestFacts, options: AttachOptions): AttachPlan {
  const desired = readDesiredConfig(sessionPaths(facts.root));
  const { timings } = resolveTimings(options.timings, desired.desired_tui_tracking_timings ?? {});
  const listener = resolveListener({
    override: { host: options.host, port: options.port },
    env: context.env,
    desired: {
      host: desired.desired_host,
      port: desired.desired_port,
      portOrigin: desired.desired_port_origin,
    },
  });
  return { listener, timings, mode: options.mode ?? desired.desired_execution_mode ?? FIRST_EXECUTION_MODE };
}

/** A port that was only remembered gives way to a free one; a port that was asked for does not. */
async function startOnFreePort(
  context: SessionContext,
  facts: ManifestFacts,
  plan: AttachPlan,
): Promise<RecordedGateway> {
  const { listener } = plan;
  try {
    return await startAndProve(context, facts, plan, listener.port);
  } catch (error) {
    const busy = isRouseError(error) && error.facts['cause'] === 'port_in_use';
    if (!busy || listener.portIsHard || listener.port === ANY_PORT) throw error;
    return startAndProve(context, facts, plan, ANY_PORT);
  }
}

async function startAndProve(
  context: SessionContext,
  facts: ManifestFacts,
  plan: AttachPlan,
  port: number,
): Promise<RecordedGateway> {
  const { mode, timings, listener } = plan;
  const start: GatewayStart = { attemptId: newUuid(), host: listener.host, port, mode, timings };
  context.progress?.('starting the gateway');
  crashPoint('session.attach.before_start');
  const started = await startGateway(context, facts, start);
  const paths = sessionPaths(facts.root);
  noteStarting(paths, started.identity);
  crashPoint('session.attach.started');
  try {
    const said = await waitForAttempt(context, paths, start.attemptId, started.identity, READY_TIMEOUT_MS);
    const others = said.outcome === 'failed' && said.code === 'locked';
    if (said.outcome !== 'ready' && !others) throw failure(facts, said, start);
    return await provenGateway(context, facts, said);
  } catch (error) {
    await takeBack(context, facts, started);
    throw error;
  } finally {
    forgetStarting(paths);
  }
}

/**
 * The gateway is believed when it answers with the instance id it recorded. When another one held the lock (its
 * attach was killed half-way), that one is waited for in the same way.
 */
async function provenGateway(
  context: SessionContext,
  facts: ManifestFacts,
  said: AttemptOutcome,
): Promise<RecordedGateway> {
  const paths = sessionPaths(facts.root);
  const deadline = context.clock.monotonic() + READY_TIMEOUT_MS;
  let last = 'it recorded no instance';
  do {
    const life = await probeGateway(paths, readToken(paths, context.env));
    if (life.life === 'live' && (said.outcome !== 'ready' || life.gateway.instanceId === said.instanceId)) {
      return life.gateway;
    }
    if (life.life !== 'none' && life.life !== 'live') last = life.reason;
    await new Promise<void>((resolve) => context.clock.after(50, resolve));
  } while (context.clock.monotonic() < deadline && !context.signal?.aborted);
  throw unavailable(`the gateway started but was not seen to be healthy: ${last}`, {
    hint: `see ${paths.log}`,
    facts: { cause: 'health_timeout', last_probe: last },
  });
}

/** Ends exactly what this attempt started, and puts the offline state back unless somebody else's gateway lives. */
async function takeBack(
  context: SessionContext,
  facts: ManifestFacts,
  started: StartedGateway,
): Promise<void> {
  await endProcess(started.identity, context.clock);
  if (started.windowId !== undefined) {
    await new SessionTmux(facts.tmuxSocket ?? DEFAULT_SOCKET, context.env).killWindow(
      facts.tmuxSessionName,
      started.windowId,
    );
  }
  const paths = sessionPaths(facts.root);
  const life = await probeGateway(paths, readToken(paths, context.env));
  if (life.life === 'none' || life.life === 'dead') await restoreOffline(context, facts);
}

function failure(facts: ManifestFacts, said: AttemptOutcome, start: GatewayStart): RouseError {
  const log = sessionPaths(facts.root).log;
  if (said.outcome === 'failed' && said.code === 'port_in_use') {
    return conflict(`port ${start.port} on ${start.host} is already in use`, {
      hint: 'choose another with --gateway-port, or stop what listens there',
      facts: { cause: 'port_in_use', gateway_host: start.host, gateway_port: start.port },
    });
  }
  if (said.outcome === 'failed') {
    return unavailable(`the gateway did not start: ${said.message}`, {
      hint: `see ${log}`,
      facts: { cause: said.code },
    });
  }
  const words = (readIfExists(errorFile(facts)) ?? '').trim().split('\n').slice(-5).join('\n');
  if (said.outcome === 'ended') {
    return unavailable(`the gateway ended before it was ready${words ? `: ${words}` : ''}`, {
      hint: `see ${log}`,
      facts: { cause: 'ended_early' },
    });
  }
  return unavailable(`the gateway said nothing for ${READY_TIMEOUT_MS / 1000} s`, {
    hint: `see ${log}`,
    facts: { cause: 'start_timeout' },
  });
}

/** Only now may others find it. The port is remembered with its origin: handed out is not asked for. */
async function publishLive(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway,
  plan: AttachPlan,
): Promise<GatewayReport> {
  const paths = sessionPaths(facts.root);
  const { listener, timings, mode } = plan;
  const desired: DesiredConfigFile = {
    desired_diagnostic_logging: null,
    ...readDesiredConfig(paths),
    schema_version: 1,
    desired_host: listener.host,
    desired_port: gateway.port,
    desired_port_origin: listener.portIsHard && gateway.port === listener.port ? 'explicit' : 'auto',
    desired_execution_mode: mode,
    desired_tui_tracking_timings: timings,
  };
  writeJsonAtomic(paths.desiredConfig, parseFile(desiredConfigFile, desired, paths.desiredConfig));
  crashPoint('session.attach.before_publish');
  writeDerivedFiles(paths, facts, gateway);
  const tmux = new SessionTmux(facts.tmuxSocket ?? DEFAULT_SOCKET, context.env);
  await tmux.setEnvironment(facts.tmuxSessionName, liveBindings(paths, gateway));
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  crashPoint('session.attach.published');
  const report = await localStatus(context, facts);
  requireHealthy(report.status);
  return report;
}

function requireHealthy(status: StatusDocument): void {
  if (status.gateway_health === 'healthy') return;
  throw notReady('the gateway was attached and went away again at once', {
    hint: 'see its gateway.log',
    facts: { cause: 'lost_after_attach' },
  });
}

function registryGateway(facts: ManifestFacts, gateway: RecordedGateway) {
  return {
    host: gateway.host as '127.0.0.1',
    port: gateway.port,
    state_path: sessionPaths(facts.root).state,
    protocol_version: 'v1' as const,
  };
}
