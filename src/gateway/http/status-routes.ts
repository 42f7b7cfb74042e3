import type { Hono } from 'hono';
import type { Loop } from '../../base/index.ts';
import type { Health } from '../../wire/index.ts';
import type { Presence } from '../presence/index.ts';

export interface StatusRouteDependencies {
  presence: Presence;
  instanceId: string;
  loops: readonly Loop[];
  /** Files that cannot be written or were taken away, a sentence each. */
  fileTroubles: () => string[];
  openApi: () => unknown;
}

/** Liveness, status, and the description of everything else. */
export function statusRoutes(
  app: Hono,
  { presence, instanceId, loops, fileTroubles, openApi }: StatusRouteDependencies,
): void {
  app.get('/health', (context) => {
    const failing = loops.filter((loop) => loop.trouble);
    const reasons = [
      ...failing.map(({ name, trouble }) => `${name} fails: ${trouble!.message}`),
      ...fileTroubles(),
    ];
    const answer: Health = {
      protocol_version: 'v1',
      status: reasons.length === 0 ? 'ok' : 'degraded',
      instance_id: instanceId,
      pid: process.pid,
      failing_loops: failing.map(({ name }) => name),
      reasons,
    };
    return context.json(answer);
  });
  app.get('/v1/status', (context) => context.json(presence.status()));
  app.get('/openapi.json', (context) => context.json(openApi() as object));
}
