import { type Loop, whyUnwritable } from '../../base/index.ts';
import type { Handlers } from '../../http/index.ts';
import { type GatewayRoutes, openApiDocument } from '../../wire/index.ts';
import type { GatewayTroubles, Presence } from '../presence/index.ts';

export interface StatusHandlerDependencies {
  presence: Presence;
  instanceId: string;
  loops: readonly Loop[];
  /** What keeps the gateway from its work. */
  troubles: GatewayTroubles;
  /** Files that cannot be written or were taken away, a sentence each. */
  fileTroubles: () => string[];
  gatewayRoot: string;
}

/** Liveness, status, and the description of everything else. */
export function statusHandlers({
  presence,
  instanceId,
  troubles,
  gatewayRoot,
}: StatusHandlerDependencies): Handlers<Pick<GatewayRoutes, 'health' | 'status' | 'openapi'>> {
  return {
    health: () => {
      const known = troubles.all().map(({ reason }) => reason);
      // Looked at when asked: an idle gateway has tried to write nothing.
      const unwritable = known.length === 0 ? whyUnwritable(gatewayRoot) : undefined;
      const reasons = unwritable ? [unwritable] : known;
      return {
        protocol_version: 'v1',
        status: reasons.length === 0 ? 'ok' : 'degraded',
        instance_id: instanceId,
        pid: process.pid,
        failing_loops: troubles.failingLoops.map(({ name }) => name),
        reasons,
      };
    },
    status: () => presence.status(),
    openapi: () => openApiDocument(),
  };
}
