import type { Hono } from 'hono';
import { METRICS_TYPE, type Metric, type MetricSeries, metricText, unavailable } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Handlers, isOwner, serve } from '../../http/index.ts';
import { FLEET_SERVICE } from '../../wire/houmao/index.ts';
import { fleetOpenApiDocument, SERVER_ROUTES } from '../../wire/index.ts';
import { requireServerAdmin } from '../identity/index.ts';
import type { Arrivals } from '../registry/index.ts';
import type { Sweepers } from '../sweep/index.ts';
import { requireCaller } from './authenticate.ts';
import type { HttpCounts } from './http-counts.ts';

export interface ServerRouteDependencies {
  sql: Sql;
  instanceId: string;
  counts: HttpCounts;
  sweepers: Sweepers;
  arrivals: Arrivals;
  /** What keeps failing, one sentence each. */
  reasons: () => string[];
  /** Trouble of the database alone, as its writers found it. */
  databaseTroubles: () => string[];
}

/** The server itself: health, readiness, metrics, description. */
export function serverRoutes(app: Hono, on: ServerRouteDependencies): void {
  const handlers: Handlers<typeof SERVER_ROUTES> = {
    health: () => {
      const reasons = on.reasons();
      return {
        status: reasons.length === 0 ? 'ok' : 'degraded',
        reasons,
        service: 'rouse',
        houmao_service: FLEET_SERVICE,
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

/**
 * Writes nothing: checks whether this session may write at all, and this user into the tables that all work goes
 * through.
 */
const WRITABLE = `SELECT current_setting('transaction_read_only') = 'on' AS refuses,
  (SELECT min(name) FROM unnest(ARRAY['orgs', 'tokens', 'workspaces', 'a2a_queue', 'requests', 'mail_messages', 'sweepers']) AS name
    WHERE (has_table_privilege(to_regclass(name), 'INSERT') AND has_table_privilege(to_regclass(name), 'UPDATE'))
      IS NOT TRUE) AS closed`;

/** What no query can find, such as a full disk, the last writer found. */
async function requireWritable({ sql, databaseTroubles }: ServerRouteDependencies): Promise<void> {
  const { rows } = await sql.query<{ refuses: boolean; closed: string | null }>(WRITABLE);
  const { refuses, closed } = rows[0]!;
  if (refuses) throw unavailable('the database is read-only now');
  if (closed !== null)
    throw unavailable(`the database table "${closed}" does not exist or cannot be written`, {
      hint: 'grant the database user write access, or restore the whole backup',
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

interface Counted {
  status: string;
  count: number;
}

/**
 * Counts agents by status, and messages on their way. Each message status has its own index, so ended ones are not
 * read.
 */
export async function fleetCounts(sql: Sql): Promise<{ agents: Counted[]; messages: Counted[] }> {
  const agents = await sql.query<Counted>(
    'SELECT status, count(*)::int AS count FROM workspaces GROUP BY status ORDER BY status',
  );
  const messages = await sql.query<Counted>(
    `SELECT 'dispatched' AS status, count(*)::int AS count FROM a2a_queue WHERE status = 'dispatched'
     UNION ALL SELECT 'queued', count(*)::int FROM a2a_queue WHERE status = 'queued'`,
  );
  return { agents: agents.rows, messages: messages.rows };
}
