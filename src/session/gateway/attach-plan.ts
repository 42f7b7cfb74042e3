import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { lowestGivenPort } from '../../base/index.ts';
import {
  ANY_PORT,
  EXECUTION_MODES,
  type ExecutionMode,
  LOOPBACK,
  type PartialTimings,
  type ResolvedListener,
  resolveListener,
  resolveTimings,
  TUI_TIMING_RULES,
  type TuiTimingField,
  type TuiTimings,
} from '../../domain/index.ts';
import type { DesiredConfigFile } from '../../wire/index.ts';
import { FIRST_EXECUTION_MODE, readDesiredConfig } from '../records/gateway-documents.ts';
import type { RecordedGateway } from '../records/live-gateway.ts';
import type { SessionPaths } from '../records/session-paths.ts';

/** What the caller of attach requests. What it leaves out comes from the last attach, or is decided here. */
export interface AttachOptions {
  host?: string | undefined;
  port?: number | undefined;
  /** Tried when no port was requested; a free one is used if it is taken. */
  preferredPort?: number | undefined;
  mode?: ExecutionMode | undefined;
  timings?: PartialTimings | undefined;
  /** Uids of other accounts that may connect, and need the token; an empty list ends that. */
  allowUsers?: readonly number[] | undefined;
  /** A queue file that was lost or cannot be read is replaced by a new one; a sound one stays. */
  freshQueue?: boolean | undefined;
}

export interface AttachPlan {
  listener: Pick<ResolvedListener, 'host' | 'port' | 'portIsHard'>;
  mode: ExecutionMode;
  timings: TuiTimings;
  guests: readonly number[];
}

/** Each part separately: as requested now, else (for the address) from the environment, else as in the last successful attach. */
export function planAttach(
  options: AttachOptions,
  {
    env,
    statePath,
    first = FIRST_EXECUTION_MODE,
  }: { env: NodeJS.ProcessEnv; statePath: string; first?: ExecutionMode },
  desired: Partial<DesiredConfigFile>,
  bootstrap: { desired_host?: string | null | undefined; desired_port?: number | null | undefined } = {},
): AttachPlan & { listener: ResolvedListener } {
  const { timings } = resolveTimings(options.timings, desired.desired_tui_tracking_timings ?? {});
  const listener = resolveListener({
    override: { host: options.host, port: options.port },
    env,
    statePath,
    desired: {
      host: desired.desired_host,
      port: desired.desired_port ?? options.preferredPort,
      portOrigin: desired.desired_port == null ? 'auto' : desired.desired_port_origin,
    },
    bootstrap: { host: bootstrap.desired_host, port: bootstrap.desired_port },
  });
  return {
    listener,
    timings,
    mode: options.mode ?? desired.desired_execution_mode ?? first,
    guests: options.allowUsers ?? desired.desired_allow_users ?? [],
  };
}

/** How a live gateway runs, in the terms of a plan. */
export function planOf(
  { host, port, executionMode, timings }: RecordedGateway,
  desired: Partial<DesiredConfigFile>,
): AttachPlan {
  const portIsHard = desired.desired_port === port && desired.desired_port_origin !== 'auto';
  return {
    listener: { host: host as ResolvedListener['host'], port, portIsHard },
    mode: executionMode,
    timings: resolveTimings(timings, desired.desired_tui_tracking_timings ?? {}).timings,
    guests: desired.desired_allow_users ?? [],
  };
}

/** The running plan with the requested changes. */
export function planChange(running: AttachPlan, { mode, timings, allowUsers }: AttachOptions): AttachPlan {
  return {
    ...running,
    mode: mode ?? running.mode,
    timings: resolveTimings(timings, running.timings).timings,
    guests: allowUsers ?? running.guests,
  };
}

/** What the next attach starts from. A port that the system assigned is stored as `auto`: it was not requested. */
export function desiredAfter(
  { desired_allow_users: _, ...before }: Partial<DesiredConfigFile>,
  { listener, mode, timings, guests }: AttachPlan,
  gateway: Pick<RecordedGateway, 'port'>,
): DesiredConfigFile {
  return {
    desired_diagnostic_logging: null,
    ...before,
    schema_version: 1,
    desired_state: 'attached',
    desired_host: listener.host,
    desired_port: gateway.port,
    desired_port_origin: listener.portIsHard && gateway.port === listener.port ? 'explicit' : 'auto',
    desired_execution_mode: mode,
    desired_tui_tracking_timings: timings,
    ...(guests.length > 0 && { desired_allow_users: [...guests] }),
  };
}

/** One setting of a live gateway that an attach changed. */
export type GatewayChange =
  | { setting: 'execution_mode'; from: ExecutionMode; to: ExecutionMode }
  | { setting: 'allow_users'; from: number[]; to: number[] }
  | { setting: TuiTimingField; from: number; to: number };

/** Requested settings that differ from the running ones. Settings that were not requested stay. */
export function changesAsked(
  { mode, timings = {}, allowUsers }: AttachOptions,
  running: Pick<AttachPlan, 'mode' | 'timings' | 'guests'>,
): GatewayChange[] {
  const changes: GatewayChange[] = [];
  if (mode !== undefined && mode !== running.mode)
    changes.push({ setting: 'execution_mode', from: running.mode, to: mode });
  for (const { field } of TUI_TIMING_RULES) {
    const [from, to] = [running.timings[field], timings[field]];
    if (to != null && to !== from) changes.push({ setting: field, from, to });
  }
  if (allowUsers && !sameAccounts(allowUsers, running.guests))
    changes.push({ setting: 'allow_users', from: [...running.guests], to: [...allowUsers] });
  return changes;
}

function sameAccounts(some: readonly number[], others: readonly number[]): boolean {
  return some.length === others.length && some.every((uid) => others.includes(uid));
}

/** `mode foreground → background, stale-active-recovery-seconds 5 → 10` */
export function changesInWords(changes: readonly GatewayChange[]): string {
  return changes
    .map((change) => {
      if (change.setting === 'execution_mode')
        return `mode ${EXECUTION_MODES[change.from].words} → ${EXECUTION_MODES[change.to].words}`;
      const words = (value: number | readonly number[]): string => String(value) || 'none';
      return `${change.setting.replaceAll('_', '-')} ${words(change.from)} → ${words(change.to)}`;
    })
    .join(', ');
}

/** Below the ports that the system assigns, so the port is not taken while a gateway restarts. */
const LOWEST = 20_000;
const TRIES = 20;

/**
 * The port at which a gateway that is about to be attached will listen: as requested, else a free one. The tool gets it
 * before the gateway runs. Undefined if the gateway will listen where the agent's tools are not served.
 */
export async function chooseGatewayPort(
  options: AttachOptions,
  at: { env: NodeJS.ProcessEnv; statePath: string },
): Promise<number | undefined> {
  const { host, port } = planAttach(options, at, {}).listener;
  if (host !== LOOPBACK) return undefined;
  return port === ANY_PORT ? freePort() : port;
}

/** The former port for a gateway that is about to be attached again; undefined if unknown or in use. */
export async function formerGatewayPort(paths: SessionPaths): Promise<number | undefined> {
  const { desired_host: host, desired_port: port } = readDesiredConfig(paths);
  if (host !== LOOPBACK || !port) return undefined;
  return (await canListen(port)) || undefined;
}

async function freePort(): Promise<number> {
  const below = lowestGivenPort() ?? 32_768;
  for (let tries = 0; tries < TRIES && below > LOWEST; tries++) {
    const port = randomInt(LOWEST, below);
    if (await canListen(port)) return port;
  }
  return (await canListen(ANY_PORT)) || ANY_PORT;
}

/** Returns the port, or 0 if nothing can listen there. */
async function canListen(port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen({ host: LOOPBACK, port });
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  } catch {
    return 0;
  } finally {
    server.close();
  }
}
