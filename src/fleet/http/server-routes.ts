import type { Hono } from 'hono';
import type { Sql } from '../../db/index.ts';
import { type Handlers, isOwner, serve } from '../../http/index.ts';
import { fleetOpenApiDocument, SERVER_ROUTES } from '../../wire/index.ts';
import { requireServerAdmin } from '../identity/index.ts';
import type { Arrivals } from '../registry/index.ts';
import type { Sweepers } from '../sweep/index.ts';
import { requireCaller } from './authenticate.ts';
import { fleetCounts } from './fleet-counts.ts';
import type { RequestCounts } from './request-counts.ts';

export interface ServerRouteDependencies {
  sql: Sql;
  instanceId: string;
  counts: RequestCounts;
  sweepers: Sweepers;
  arrivals: Arrivals;
  /** What keeps failing, a sentence each. */
  reasons: () => string[];
}

/** The server itself: alive, ready, counted, described. */
export function serverRoutes(app: Hono, on: ServerRouteDependencies): void {
  const handlers: Handlers<typeof SERVER_ROUTES> = {
    health: () => {
      const reasons = on.reasons();
      return {
        status: reasons.length === 0 ? 'ok' : 'degraded',
        reasons,
        houmao_service: 'houmao-server',
        instance_id: on.instanceId,
        pid: process.pid,
      };
    },
    ready: async () => {
      await on.sql.query('SELECT 1');
      return { status: 'ready', database: on.sql.dialect };
    },
    openapi: () => fleetOpenApiDocument(),
    metrics: async ({ context }) => {
      if (!isOwner(context)) requireServerAdmin(requireCaller(context));
      const text = [await fleetGauges(on), on.counts.render(), on.sweepers.metrics()].join('');
      return context.body(text, 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
    },
  };
  serve(app, SERVER_ROUTES, handlers);
}

async function fleetGauges({ sql, arrivals, instanceId }: ServerRouteDependencies): Promise<string> {
  const { agents, messages } = await fleetCounts(sql);
  const gauge = (name: string, rows: { status: string; count: number }[]): string[] => [
    `# TYPE ${name} gauge`,
    ...rows.map(({ status, count }) => `${name}{status="${status}"} ${count}`),
  ];
  return `${[
    '# TYPE rouse_server_info gauge',
    `rouse_server_info{instance="${instanceId}",database="${sql.dialect}"} 1`,
    ...gauge('rouse_agents', agents),
    ...gauge('rouse_deliveries', messages),
    '# TYPE rouse_held_heartbeats gauge',
    `rouse_held_heartbeats ${arrivals.count}`,
    '# TYPE process_resident_memory_bytes gauge',
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
  ].join('\n')}\n`;
}
