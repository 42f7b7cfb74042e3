import type { RecordedGateway } from '../records/live-gateway.ts';
import { LIVE_VARIABLES } from '../records/our-variables.ts';
import type { SessionPaths } from '../records/session-paths.ts';

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
