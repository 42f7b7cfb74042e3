import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FleetClient } from '../../src/client/index.ts';
import { drawnFor } from '../support/sample.ts';
import { ReplicaAgent } from './replica-agent.ts';
import { persist, ReplicaServers } from './replica-servers.ts';

const FULL = process.env['ROUSE_PROOF'] === 'full';
const SIZE = FULL ? { agents: 40, requests: 400, troubles: 120 } : { agents: 6, requests: 24, troubles: 6 };

/** Where a server dies in the middle of a nudge, or around a commit. */
const CRASHES = [
  'nudge.enqueued',
  'nudge.stamped',
  'db.before-commit@9',
  'db.after-commit@12',
  'nudge.enqueued@3',
];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('two servers on one PostgreSQL', () => {
  let servers: ReplicaServers;
  let agents: ReplicaAgent[] = [];
  const random = drawnFor(import.meta.filename);
  let acts = (): boolean => random.next() < 0.3;

  beforeEach(async () => {
    servers = await ReplicaServers.open();
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.stop()));
    await servers.close();
  });

  const count = async (query: string): Promise<number> =>
    (await servers.sql.query<{ n: number }>(`SELECT (${query})::int AS n`)).rows[0]!.n;

  it(
    'two servers on one PostgreSQL, killed at random across the hour with agents and database restarted, announce each request once in its hour, and lose and double nothing',
    async () => {
      await Promise.all([servers.start(0), servers.start(1)]);
      agents = Array.from(
        { length: SIZE.agents },
        (_, n) => new ReplicaAgent(`agent-${n}`, servers, () => acts()),
      );
      await Promise.all(agents.map((agent) => agent.start()));
      const filing = fileRequests();
      for (let trouble = 0; trouble < SIZE.troubles; trouble++) await makeTrouble(trouble);
      const filed = await filing;
      await settleDown();

      expect(await wrongStamps()).toEqual({ early: 0, withoutNudge: 0, withoutStamp: 0, twice: 0 });
      expect(new Set(filed).size).toBe(SIZE.requests);
      expect(await count('SELECT count(*) FROM requests')).toBe(SIZE.requests);
      for (const type of ['REQUEST_CREATED', 'REQUEST_RESPONDED'])
        expect(await count(`SELECT count(*) FROM request_events WHERE type = '${type}'`)).toBe(SIZE.requests);
      await compareDeliveries();
      expect(await count('SELECT count(*) FROM audit.nudges')).toBeGreaterThan(SIZE.agents);
      expect(servers.kills).toBeGreaterThan(SIZE.troubles / 3);
    },
    FULL ? 1_800_000 : 180_000,
  );

  /** Filed by a person who retries with the same key until a server responds. */
  async function fileRequests(): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < SIZE.requests; n++) {
      const { request_id } = await persist(() => {
        const { urls } = servers;
        const client = new FleetClient({
          url: urls[n % urls.length] ?? '',
          token: servers.token,
          timeoutMs: 5000,
        });
        return client.request<{ request_id: string }>('POST', '/requests', {
          kind: 'task',
          recipient_type: 'agent',
          recipient_id: `agent-${n % SIZE.agents}`,
          title: `request ${n}`,
          idempotency_key: `file-${n}`,
        });
      });
      ids.push(request_id);
    }
    return ids;
  }

  /** Lets one thing go wrong; both servers are up again afterwards. */
  async function makeTrouble(number: number): Promise<void> {
    const victim = number % 2;
    switch (number % 5) {
      case 0:
        await persist(() => servers.advance(11 * 60));
        await pause(300 + random.next() * 1000);
        await servers.kill(victim);
        break;
      case 1:
        await servers.kill(victim);
        await servers.start(victim, CRASHES[number % CRASHES.length]);
        await persist(() => servers.toTheEdgeOfTheHour());
        await pause(2500);
        break;
      case 2: {
        const agent = agents[number % agents.length]!;
        await agent.stop();
        await agent.start();
        break;
      }
      case 3:
        await servers.postgres.restart();
        await persist(() => servers.advance(61 * 60));
        await pause(1500);
        break;
      default:
        await servers.kill(victim);
        await servers.start(victim, CRASHES[number % CRASHES.length]);
        await pause(random.next() * 1500);
    }
    for (const index of [0, 1]) if (!servers.isAlive(index)) await servers.start(index);
  }

  /** Without faults: agents answer until nothing is open and every message is acknowledged. */
  async function settleDown(): Promise<void> {
    acts = () => true;
    for (const index of [0, 1]) {
      await servers.kill(index);
      await servers.start(index);
    }
    const open = `SELECT count(*) FROM requests WHERE status IN ('pending', 'info_requested')`;
    while ((await persist(() => count(open))) > 0) {
      await servers.advance(61 * 60);
      for (let look = 0; look < 100 && (await count(open)) > 0; look++) await pause(100);
    }
    const underWay = `SELECT count(*) FROM a2a_queue WHERE status = 'dispatched' OR (status = 'queued' AND expires_at IS NULL)`;
    while ((await count(underWay)) > 0) {
      await servers.advance(60);
      await pause(500);
    }
    for (const agent of agents) await agent.stop();
  }

  async function wrongStamps(): Promise<Record<string, number>> {
    return {
      early: await count(
        `SELECT count(*) FROM audit.stamps WHERE before IS NOT NULL AND after - before <= interval '1 hour'`,
      ),
      withoutNudge:
        await count(`SELECT count(*) FROM audit.stamps s WHERE (SELECT count(*) FROM audit.nudges n
        WHERE n.tx = s.tx AND n.workspace_id = s.workspace_id) <> 1`),
      withoutStamp:
        await count(`SELECT count(*) FROM audit.nudges n WHERE NOT EXISTS (SELECT FROM audit.stamps s
        WHERE n.tx = s.tx AND n.workspace_id = s.workspace_id)`),
      twice: await count(
        'SELECT count(*) FROM (SELECT FROM audit.stamps GROUP BY request_id, tx HAVING count(*) > 1) d',
      ),
    };
  }

  /** Every delivered message was received once; every received one is delivered or reported as unknown. */
  async function compareDeliveries(): Promise<void> {
    const { rows } = await servers.sql.query<{
      id: string;
      workspace_id: string;
      status: string;
      last_error: string | null;
    }>('SELECT id, workspace_id, status, last_error FROM a2a_queue');
    const byId = new Map(rows.map((row) => [row.id, row]));
    const everybody = agents.flatMap((agent) => [...agent.received.keys()].map((id) => ({ id, agent })));
    expect(new Set(everybody.map(({ id }) => id)).size).toBe(everybody.length);
    for (const { id, agent } of everybody) {
      const row = byId.get(id)!;
      expect(row.workspace_id).toBe(agent.workspaceId);
      if (row.status !== 'completed')
        expect(row).toMatchObject({ status: 'failed', last_error: expect.stringContaining('unknown') });
    }
    const received = new Set(everybody.map(({ id }) => id));
    expect(rows.filter(({ id, status }) => status === 'completed' && !received.has(id))).toEqual([]);
    expect(rows.filter(({ status }) => status === 'dispatched')).toEqual([]);
  }
});
