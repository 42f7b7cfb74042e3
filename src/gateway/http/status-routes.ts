import type { Hono } from 'hono';
import type { Loop } from '../../base/index.ts';
import type { Health } from '../../wire/index.ts';
import type { Presence } from '../presence/index.ts';

export interface StatusRouteDependencies {
  presence: Presence;
  instanceId: string;
  loops: readonly Loop[];
  openApi: () => unknown;
}

/** Liveness, status, and the description of everything else. */
export function statusRoutes(
  app: Hono,
  { presence, instanceId, loops, openApi }: StatusRouteDependencies,
): void {
  app.get('/health', (context) => {
    const failing = loops.filter((loop) => loop.trouble).map((loop) => loop.name);
    const answer: Health = {
      protocol_version: 'v1',
      status: failing.length === 0 ? 'ok' : 'degraded',
      instance_id: instanceId,
      pid: process.pid,
      failing_loops: failing,
    };
    return context.json(answer);
  });
  app.get('/v1/status', (context) => context.json(presence.status()));
  app.get('/openapi.json', (context) => context.json(openApi() as object));
}
