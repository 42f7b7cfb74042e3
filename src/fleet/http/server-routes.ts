import type { Hono } from 'hono';
import { METRICS_TYPE, type Metric, type MetricSeries, metricText, unavailable } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Handlers, isOwner, serve } from '../../http/index.ts';
import { fleetOpenApiDocument, SERVER_ROUTES } from '../../wire/index.ts';
import { requireServerAdmin } from '../identity/index.ts';
import type { Arrivals } from '../registry/index.ts';
import type { Sweepers } from '../sweep/index.ts';
import { requireCaller } from './authenticate.ts';
import { fleetCounts } from './fleet-counts.ts';
import type { HttpCounts } from './http-counts.ts';

export interface ServerRouteDependencies {
  sql: Sql;
  instanceId: string;
  counts: HttpCounts;
  sweepers: Sweepers;
  arrivals: Arrivals;
  /** What keeps failing, a sentence each. */
  reasons: () => string[];
  /** Of the database alone, as those who wrote to it found out. */
  databaseTroubles: () => string[];
}

/** The server itself: alive, ready, counted, described. */
export function serverRoutes(app: Hono, on: ServerRouteDependencies): void {
  const handlers: Handlers<typeof SERVER_ROUTES> = {
    health: () => {
      const reasons = on.reasons();
      return {
        status: reasons.length === 0 ? 'ok' : 'degraded',
        reasons,
        service: 'rouse',
        houmao_service: 'houmao-server',
        instance_id: on.instanceId,
        pid: process.pid,
      };
    },
    ready: async () => {
      await requireWritable(on);
      return { status: 'ready', database: on.sql.dialect };
    },
    openapi: () => fleetOpenApiDocument(),
    metrics: async ({ context }) => {
      if (!isOwner(context)) requireServerAdmin(requireCaller(context));
      const text = [await fleetGauges(on), on.counts.render(), on.sweepers.metrics()].join('');
      return context.body(text, 200, { 'content-type': METRICS_TYPE });
    },
  };
  serve(app, SERVER_ROUTES, handlers);
}

/** Without writing anything: may this session write at all, and this user into the tables that all work goes through? */
const WRITABLE = `SELECT current_setting('transaction_read_only') = 'on' AS refuses,
  (SELECT min(name) FROM unnest(ARRAY['orgs', 'tokens', 'workspaces', 'a2a_queue', 'requests', 'mail_messages', 'sweepers']) AS name
    WHERE (has_table_privilege(to_regclass(name), 'INSERT') AND has_table_privilege(to_regclass(name), 'UPDATE'))
      IS NOT TRUE) AS closed`;

/** What no question finds out, such as a full disk, whoever wrote last found out. */
async function requireWritable({ sql, databaseTroubles }: ServerRouteDependencies): Promise<void> {
  const { rows } = await sql.query<{ refuses: boolean; closed: string | null }>(WRITABLE);
  const { refuses, closed } = rows[0]!;
  if (refuses) throw unavailable('the database only takes reads now');
  if (closed !== null)
    throw unavailable(`the table "${closed}" of the database is not there, or cannot be written`, {
      hint: 'give the database user the right to write, or restore the whole backup',
    });
  const [trouble] = databaseTroubles();
  if (trouble !== undefined) throw unavailable(trouble);
}

async function fleetGauges({ sql, arrivals, instanceId }: ServerRouteDependencies): Promise<string> {
  const { agents, messages } = await fleetCounts(sql);
  const gauge = (name: string, help: string, series: MetricSeries[]): Metric => ({
    ...{ name, type: 'gauge', help, series },
  });
  const byStatus = (rows: { status: string; count: number }[]): MetricSeries[] =>
    rows.map(({ status, count }) => [{ status }, count]);
  const info = { instance: instanceId, database: sql.dialect };
  return metricText([
    gauge('rouse_server_info', 'The server and its database.', [[info, 1]]),
    gauge('rouse_agents', 'Registered agents by status.', byStatus(agents)),
    gauge('rouse_deliveries', 'Messages on their way to agents by status.', byStatus(messages)),
    gauge('rouse_held_heartbeats', 'Heartbeats held open by this server.', [[{}, arrivals.count]]),
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', [
      [{}, process.memoryUsage.rss()],
    ]),
  ]);
}
