import { silentLog } from '../../src/base/index.ts';
import {
  acknowledgeAll,
  claim,
  deliverySweep,
  enqueue,
  enqueueAll,
  listDeadLetters,
} from '../../src/fleet/delivery/index.ts';
import { fleetCounts } from '../../src/fleet/http/server-routes.ts';
import { NUDGE_DEFAULTS, nudgeSweep } from '../../src/fleet/nudge/index.ts';
import { listWorkspaces, livenessSweep } from '../../src/fleet/registry/index.ts';
import { clockSweep, type Sweep } from '../../src/fleet/sweep/index.ts';
import { orphanSweep } from '../../src/fleet/tickets/index.ts';
import { listInbox, listOutgoing, listVisible } from '../../src/fleet/tickets/list-tickets.ts';
import { type FleetRows, sessionOf, workspaceOf } from './fleet-rows.ts';
import { median } from './median.ts';
import { rowsRead } from './sweep-data.ts';

type Work = (n: number) => Promise<unknown>;

const ROUNDS = 15;

export interface Cost {
  ms: number;
  /** Entries of tables and indexes. */
  read: number;
}

/** The cost of the server's routine work and of requests that someone waits for: the median of several runs each. */
export async function costOfWork(rows: FleetRows): Promise<Map<string, Cost>> {
  const costs = new Map<string, Cost>();
  for (const [name, work] of Object.entries(workOn(rows))) {
    await work(0);
    const before = await rowsRead(rows.sql);
    await work(1);
    const read = (await rowsRead(rows.sql)) - before;
    costs.set(name, { read, ms: await median(ROUNDS, (n) => work(n + 2)) });
  }
  return costs;
}

function workOn(rows: FleetRows): Record<string, Work> {
  const { sql, orgId } = rows;
  const agent = { type: 'agent', id: workspaceOf(1) } as const;
  const ana = { type: 'user', id: 'ana' } as const;
  const admin = { kind: 'admin', tokenId: '', orgId, userId: 'ana', grants: [] } as const;
  const signal = new AbortController().signal;
  const swept =
    (sweep: Sweep): Work =>
    async () => {
      await sweep.mayHaveWork?.(sql);
      await sweep.run({ sql, dryRun: true, signal });
    };
  const sweeps = [
    nudgeSweep({ settings: NUDGE_DEFAULTS, enqueueAll, log: silentLog }) as Sweep,
    livenessSweep({ windowSeconds: 180, startedAt: new Date(0), log: silentLog }),
    deliverySweep(),
    clockSweep(),
    orphanSweep(enqueue),
  ];
  return {
    'a message: stored, leased, taken': (n) => oneMessage(rows, n),
    ...Object.fromEntries(sweeps.map((sweep) => [`sweep ${sweep.name}`, swept(sweep)])),
    'requests: inbox of an agent': () => listInbox(sql, { orgId, party: agent }, {}),
    'requests: inbox of an agent, all': () => listInbox(sql, { orgId, party: agent }, { status: 'all' }),
    'requests: asked by a person': () => listOutgoing(sql, { orgId, party: ana }, {}),
    'requests: asked by a person, all': () => listOutgoing(sql, { orgId, party: ana }, { status: 'all' }),
    'requests: of the org': () => listVisible(sql, admin, {}),
    'requests: of the org, all': () => listVisible(sql, admin, { status: 'all' }),
    'requests: of the org, closed': () => listVisible(sql, admin, { status: 'closed' }),
    'agents: first page': () => listWorkspaces(sql, { orgId, limit: 200 }),
    'dead letters: of the org': () => listDeadLetters(sql, { orgId, limit: 50 }),
    'dead letters: of all orgs': () => listDeadLetters(sql, { orgId: null, limit: 50 }),
    metrics: () => fleetCounts(sql),
  };
}

async function oneMessage({ sql, orgId, agents }: FleetRows, n: number): Promise<void> {
  // An agent beyond the connected ones.
  const holder = { workspaceId: workspaceOf(agents), sessionId: sessionOf(agents) };
  const body = { text: 'Please look at item 7' };
  await enqueue(sql, {
    orgId,
    workspaceId: holder.workspaceId,
    priority: 50,
    body,
    idempotencyKey: `flat-${n}`,
  });
  const leased = await claim(sql, { ...holder, capacity: 10, leaseSeconds: 60 });
  if (leased.length === 0) throw new Error('the message was not leased');
  const acks = leased.map(({ id, attempt }) => ({
    id,
    attempt,
    result: 'accepted' as const,
    requestId: `r-${id}`,
  }));
  await acknowledgeAll(sql, holder, acks);
}
