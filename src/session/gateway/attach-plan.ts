import {
  type ExecutionMode,
  type PartialTimings,
  type ResolvedListener,
  resolveListener,
  resolveTimings,
  type TuiTimings,
} from '../../domain/index.ts';
import type { DesiredConfigFile } from '../../wire/index.ts';
import { FIRST_EXECUTION_MODE } from '../records/gateway-documents.ts';
import type { RecordedGateway } from '../records/live-gateway.ts';

/** What the caller of attach asks for; what it leaves out was decided earlier, or is decided here. */
export interface AttachOptions {
  host?: string | undefined;
  port?: number | undefined;
  /** Tried when nobody has asked for a port, and left for a free one when it is taken. */
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

/** Each part on its own: asked for now, else (address) in the environment, else as the last successful attach. */
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

/** The same with what is asked for now. */
export function planChange(running: AttachPlan, { mode, timings, allowUsers }: AttachOptions): AttachPlan {
  return {
    ...running,
    mode: mode ?? running.mode,
    timings: resolveTimings(timings, running.timings).timings,
    guests: allowUsers ?? running.guests,
  };
}

/** What the next attach starts from. A port the system handed out is remembered as such: it is no wish. */
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
