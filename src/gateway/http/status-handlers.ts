import type { Loop } from '../../base/index.ts';
import type { Handlers } from '../../http/index.ts';
import { type GatewayRoutes, openApiDocument } from '../../wire/index.ts';
import type { Presence } from '../presence/index.ts';

export interface StatusHandlerDependencies {
  presence: Presence;
  instanceId: string;
  loops: readonly Loop[];
  /** Files that cannot be written or were taken away, a sentence each. */
  fileTroubles: () => string[];
}

/** Liveness, status, and the description of everything else. */
export function statusHandlers({
  presence,
  instanceId,
  loops,
  fileTroubles,
}: StatusHandlerDependencies): Handlers<Pick<GatewayRoutes, 'health' | 'status' | 'openapi'>> {
  return {
    health: () => {
      const failing = loops.filter((loop) => loop.trouble);
      const reasons = [
        ...failing.map(({ name, trouble }) => `${name} fails: ${trouble!.message}`),
        ...fileTroubles(),
      ];
      return {
        protocol_version: 'v1',
        status: reasons.length === 0 ? 'ok' : 'degraded',
        instance_id: instanceId,
        pid: process.pid,
        failing_loops: failing.map(({ name }) => name),
        reasons,
      };
    },
    status: () => presence.status(),
    openapi: () => openApiDocument(),
  };
}
