import { invalid } from '../base/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';

/** The only addresses a gateway binds. Clients connect to loopback in both cases. */
export const LISTENER_HOSTS = ['127.0.0.1', '0.0.0.0'] as const;
export type ListenerHost = (typeof LISTENER_HOSTS)[number];

export const LOOPBACK: ListenerHost = '127.0.0.1';
/** Lets the system choose a free port. */
export const ANY_PORT = 0;

export const LISTENER_ORIGINS = [
  'override',
  'environment',
  'desired_config',
  'bootstrap',
  'default',
] as const;
/** For variables that a shell only inherited from the session itself. */
const MEMORY_ORDER: readonly ListenerOrigin[] = [
  'override',
  'desired_config',
  'environment',
  'bootstrap',
  'default',
];
export type ListenerOrigin = (typeof LISTENER_ORIGINS)[number];

/** Whether a port was requested, or assigned by the system and only remembered. */
export const PORT_ORIGINS = ['explicit', 'auto'] as const;
export type PortOrigin = (typeof PORT_ORIGINS)[number];

export interface ListenerSources {
  /** Flags of this attach. */
  override?: { host?: string | null | undefined; port?: number | null | undefined };
  /** The caller's environment. */
  env?: Readonly<Record<string, string | undefined>>;
  /** state.json of the session to attach to. It shows whether the caller is inside that session. */
  statePath?: string;
  /** desired-config.json: what the last successful attach bound. */
  desired?: {
    host?: string | null | undefined;
    port?: number | null | undefined;
    portOrigin?: PortOrigin | null | undefined;
  };
  /** Defaults in attach.json. */
  bootstrap?: { host?: string | null | undefined; port?: number | null | undefined };
}

export interface ResolvedListener {
  host: ListenerHost;
  hostOrigin: ListenerOrigin;
  /** 0 lets the system choose a free one. */
  port: number;
  portOrigin: ListenerOrigin;
  /** True: exactly this port, or the attach fails. False: tried first, and replaced by a free one if it is in use. */
  portIsHard: boolean;
}

const HOST_VARIABLE = VARIABLE.gatewayHost;
const PORT_VARIABLE = VARIABLE.gatewayPort;
const INHERITED_MARK = VARIABLE.gatewayState;

/**
 * Decides where the gateway will listen. Host and port are resolved separately. The first source with a value wins:
 * flags, the caller's environment, desired config, bootstrap defaults, then loopback with a port from the system.
 *
 * A live gateway publishes its address into its tmux session under the same environment variables. A shell inside that
 * session inherits them together with the state path. They are then a memory, not a request: what the last attach stored
 * is preferred, and such a port is tried but does not fail the attach if it is in use. In a shell of another session
 * they are that session's address and are ignored here.
 */
export function resolveListener(sources: ListenerSources): ResolvedListener {
  const inheritedFrom = blankToNone(sources.env?.[INHERITED_MARK]);
  const anothers = inheritedFrom !== undefined && inheritedFrom !== sources.statePath;
  const env = anothers ? {} : (sources.env ?? {});
  const order = inheritedFrom === undefined ? LISTENER_ORIGINS : MEMORY_ORDER;
  const [host, hostOrigin] = firstOf<string>(order, {
    override: sources.override?.host,
    environment: blankToNone(env[HOST_VARIABLE]),
    desired_config: sources.desired?.host,
    bootstrap: sources.bootstrap?.host,
    default: LOOPBACK,
  });
  const [port, portOrigin] = firstOf<number>(order, {
    override: sources.override?.port,
    environment: portOfEnv(env[PORT_VARIABLE]),
    desired_config: sources.desired?.port,
    bootstrap: sources.bootstrap?.port,
    default: ANY_PORT,
  });
  const remembered =
    (portOrigin === 'environment' && inheritedFrom !== undefined) ||
    (portOrigin === 'desired_config' && sources.desired?.portOrigin === 'auto');
  return {
    host: requireHost(host, hostOrigin),
    hostOrigin,
    port: requirePort(port, portOrigin),
    portOrigin,
    portIsHard: port !== ANY_PORT && !remembered,
  };
}

function firstOf<T>(
  order: readonly ListenerOrigin[],
  candidates: Record<ListenerOrigin, T | null | undefined>,
): [T, ListenerOrigin] {
  const origin = order.find((each) => candidates[each] !== undefined && candidates[each] !== null)!;
  return [candidates[origin]!, origin];
}

function blankToNone(text: string | undefined): string | undefined {
  const value = text?.trim();
  return value === '' ? undefined : value;
}

function portOfEnv(text: string | undefined): number | undefined {
  const value = blankToNone(text);
  if (value === undefined) return undefined;
  return /^\d{1,5}$/.test(value) ? Number(value) : refusePort(JSON.stringify(value), 'environment');
}

const NAMES: Record<ListenerOrigin, [host: string, port: string]> = {
  override: ['--gateway-host', '--gateway-port'],
  environment: [HOST_VARIABLE, PORT_VARIABLE],
  desired_config: ['desired_host in desired-config.json', 'desired_port in desired-config.json'],
  bootstrap: ['desired_host in attach.json', 'desired_port in attach.json'],
  default: ['host', 'port'],
};

function requireHost(host: string, origin: ListenerOrigin): ListenerHost {
  if ((LISTENER_HOSTS as readonly string[]).includes(host)) return host as ListenerHost;
  throw invalid(
    `${NAMES[origin][0]} is ${JSON.stringify(host)}, but must be one of ${LISTENER_HOSTS.join(', ')}`,
  );
}

function requirePort(port: number, origin: ListenerOrigin): number {
  return Number.isInteger(port) && port >= 0 && port <= 65_535 ? port : refusePort(String(port), origin);
}

function refusePort(shown: string, origin: ListenerOrigin): never {
  throw invalid(
    `${NAMES[origin][1]} is ${shown}, but must be an integer from 1 to 65535 (0 for any free port)`,
  );
}
