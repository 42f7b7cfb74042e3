import { type Clock, messageOf, preview, utcStamp } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import { bucketEnd, codesOf, DURATION_BUCKETS, noWakes, WAKE_STEPS } from '../../../domain/index.ts';
import type { GatewayRecords } from '../../../gateway/offline.ts';
import type { Handlers } from '../../../http/index.ts';
import type { HostMail } from '../../../session/index.ts';
import type { PAGE_ROUTES, PageHealth } from '../../../wire/index.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { HostView } from '../host/host-view.ts';
import type { KeptOpen } from '../kept-open.ts';

export interface HealthHandlerParts {
  door: PageDoor;
  view: HostView;
  readers: KeptOpen<GatewayRecords>;
  mail: HostMail;
  sql: Sql;
  clock: Clock;
}

const HOUR_MS = 3_600_000;

/** How the wakes of the agents of this host went, and how the server is. */
export function healthHandlers(on: HealthHandlerParts): Handlers<Pick<typeof PAGE_ROUTES, 'page.health'>> {
  return {
    'page.health': ({ context, query }) => {
      on.door.require(context);
      return healthOf(on, query().hours);
    },
  };
}

async function healthOf(on: HealthHandlerParts, hours: number): Promise<PageHealth> {
  const { view, readers, clock } = on;
  const nowMs = clock.now().getTime();
  const fromMs = nowMs - hours * HOUR_MS;
  const troubles: string[] = [];
  const mail = { announced: 0, handled: 0 };
  const agents: PageHealth['agents'] = [];
  for (const { id, name, tool, host, here, address } of await view.agents()) {
    const place = here ? view.picture.roster.known.get(id) : undefined;
    const paths = place && view.picture.pathsOf(place);
    if (!paths) continue;
    // Others are served in between.
    await new Promise((next) => setImmediate(next));
    try {
      const health = readers.useIfThere(paths.gateway, (records) => records.wakeHealth(fromMs)) ?? noWakes();
      agents.push({ name, tool, host, ...health });
      const refs = readers.useIfThere(paths.gateway, (records) => records.announcedSince(fromMs)) ?? [];
      mail.announced += refs.length;
      if (address !== null) mail.handled += await on.mail.handled(address, refs);
    } catch (error) {
      troubles.push(`${name}: ${messageOf(error)}`);
    }
  }
  return {
    from_utc: utcStamp(new Date(fromMs)),
    now_utc: utcStamp(new Date(nowMs)),
    bounds: Array.from({ length: DURATION_BUCKETS }, (_, bucket) => bucketEnd(bucket)),
    steps: codesOf(WAKE_STEPS).map((step) => ({
      step,
      words: WAKE_STEPS[step].words,
      lost: WAKE_STEPS[step].lost,
    })),
    mail,
    agents,
    facts: await factsOf(on).catch((error: unknown) => [
      { label: 'Database', value: preview(messageOf(error), 300) },
    ]),
    troubles,
  };
}

async function factsOf({ sql, view }: HealthHandlerParts): Promise<PageHealth['facts']> {
  const began = performance.now();
  const { rows } = await sql.query<{
    agents: number;
    online: number;
    hosts: number;
    queued: number;
    size: number;
  }>(
    `SELECT (SELECT count(*)::int FROM workspaces WHERE status <> 'removed') AS agents,
            (SELECT count(*)::int FROM workspaces WHERE status = 'online') AS online,
            (SELECT count(DISTINCT host)::int FROM workspaces WHERE status = 'online') AS hosts,
            (SELECT count(*)::int FROM a2a_queue WHERE status = 'queued') AS queued,
            pg_database_size(current_database())::float8 AS size`,
  );
  const took = performance.now() - began;
  const { agents, online, hosts, queued, size } = rows[0]!;
  const memory = process.memoryUsage().rss / 2 ** 20;
  const here = [...view.picture.here].length;
  return [
    { label: 'Agents of this host', value: String(here) },
    {
      label: 'Registered agents',
      value: `${agents}, ${online} online on ${hosts} ${hosts === 1 ? 'host' : 'hosts'}`,
    },
    { label: 'Messages queued on the server', value: String(queued) },
    {
      label: 'Database',
      value: `${sql.dialect}, ${(size / 2 ** 20).toFixed(0)} MiB, ${took.toFixed(0)} ms for these numbers`,
    },
    { label: 'Server', value: `${memory.toFixed(0)} MiB, up for ${Math.round(process.uptime() / 60)} min` },
  ];
}
