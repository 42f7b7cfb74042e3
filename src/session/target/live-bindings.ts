import type { RecordedGateway } from '../records/live-gateway.ts';
import type { SessionPaths } from '../records/session-paths.ts';

/** Published in the agent's tmux session while a gateway lives, and only then. */
export const LIVE_VARIABLES = [
  'HOUMAO_AGENT_GATEWAY_HOST',
  'HOUMAO_AGENT_GATEWAY_PORT',
  'HOUMAO_GATEWAY_STATE_PATH',
  'HOUMAO_GATEWAY_PROTOCOL_VERSION',
] as const;

/** Pointers older programs published; they are taken away, because nobody may trust them. */
export const RETIRED_VARIABLES = ['HOUMAO_GATEWAY_ATTACH_PATH', 'HOUMAO_GATEWAY_ROOT'] as const;

export function liveBindings(paths: SessionPaths, gateway: RecordedGateway): Record<string, string> {
  return {
    HOUMAO_AGENT_GATEWAY_HOST: gateway.host,
    HOUMAO_AGENT_GATEWAY_PORT: String(gateway.port),
    HOUMAO_GATEWAY_STATE_PATH: paths.state,
    HOUMAO_GATEWAY_PROTOCOL_VERSION: 'v1',
  };
}

/** The same four names with null, which unsets them. */
export const NO_BINDINGS: Record<string, null> = Object.fromEntries(
  LIVE_VARIABLES.map((name) => [name, null]),
);

export function anyBinding(variables: Map<string, string>): boolean {
  return LIVE_VARIABLES.some((name) => variables.has(name));
}

export function sameBindings(variables: Map<string, string>, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => variables.get(name) === value);
}
