import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog, systemClock } from '../../src/base/index.ts';
import { migrate, openPostgres, type Sql, type SqlValue } from '../../src/db/index.ts';
import { enqueue } from '../../src/fleet/delivery/index.ts';
import { FLEET_MIGRATIONS } from '../../src/fleet/index.ts';
import { REQUESTS_LAST_NUDGED, REQUESTS_LAST_NUDGED_DOWN } from '../../src/fleet/schema/requests.ts';
import { databases, openTestPostgres, type TestDatabase } from '../support/fleet.ts';
import { NudgeWorld } from './nudge-world.ts';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

describe.each(databases(import.meta.filename))('what nudges need of %s', (_name, open) => {
  let database: TestDatabase;
  let sql: Sql;
  let world: NudgeWorld;

  beforeAll(async () => {
    database = await open();
    sql = database.sql;
    world = new NudgeWorld(sql);
  });
  afterAll(() => database.close());
  beforeEach(() => world.clear());

  const columns = async (on: Sql): Promise<string[]> =>
    (
      await on.query<{ name: string }>(
        `SELECT column_name AS name FROM information_schema.columns
          WHERE table_name = 'requests' AND column_name = 'last_nudged_at'
         UNION ALL SELECT indexname FROM pg_indexes WHERE indexname LIKE 'requests_nudge_%' ORDER BY 1`,
      )
    ).rows.map(({ name }) => name);
  const ALL = ['last_nudged_at', 'requests_nudge_agent', 'requests_nudge_due'];

  it('the migration for nudges may run twice, down twice, before the table exists and after', async () => {
    const other = await database.another();
    await other.exec(REQUESTS_LAST_NUDGED);
    await other.exec(REQUESTS_LAST_NUDGED);
    expect(await columns(other)).toEqual(ALL);
    await other.exec(REQUESTS_LAST_NUDGED_DOWN);
    await other.exec(REQUESTS_LAST_NUDGED_DOWN);
    expect(await columns(other)).toEqual([]);
    await other.exec(REQUESTS_LAST_NUDGED);
    expect(await columns(other)).toEqual(ALL);
    await other.exec(
      'ALTER TABLE requests RENAME TO requests_elsewhere; DROP INDEX requests_nudge_agent, requests_nudge_due',
    );
    await other.exec(REQUESTS_LAST_NUDGED);
    await other.exec(REQUESTS_LAST_NUDGED_DOWN);
    expect(await columns(other)).toEqual([]);
    await other.exec('ALTER TABLE requests_elsewhere RENAME TO requests');
    await other.exec(REQUESTS_LAST_NUDGED);
    expect(await columns(other)).toEqual(ALL);
  });

  it('migrating for nudges again changes nothing', async () => {
    const applied = async () => (await sql.query('SELECT * FROM schema_migrations ORDER BY position')).rows;
    const before = await applied();
    await Promise.all([migrate(sql, FLEET_MIGRATIONS), migrate(sql, FLEET_MIGRATIONS)]);
    expect(await applied()).toEqual(before);
    expect(before).toContainEqual(expect.objectContaining({ id: '20260610130000_requests_last_nudged' }));
  });

  it('without the table a sweep finds nothing, says so once, and works when the table comes', async () => {
    const other = await database.another();
    const elsewhere = new NudgeWorld(other);
    await elsewhere.clear();
    const lines: string[] = [];
    const log = createLog({ clock: systemClock, write: (line) => lines.push(line) });
    const sweeper = elsewhere.sweeper({}, { log });
    const run = () => sweeper.run({ sql: other, dryRun: false, signal: new AbortController().signal });
    await other.exec('ALTER TABLE requests RENAME TO requests_elsewhere');
    for (let tick = 0; tick < 3; tick++) {
      expect(await sweeper.mayHaveWork?.(other)).toBe(true);
      expect(await run()).toMatchObject({ agents_nudged: 0, errors: 0, installed: false });
    }
    expect(lines).toHaveLength(1);
    await other.exec('ALTER TABLE requests_elsewhere RENAME TO requests');
    await elsewhere.item(await elsewhere.agent());
    expect(await run()).toMatchObject({ agents_nudged: 1, installed: true });
  });

  it('a sweep reads by its partial indexes, and no more than a few rows for each agent', async () => {
    await sql.query(
      `INSERT INTO workspaces (id, org_id, agent_id, name, status, active_tasks)
       SELECT md5('agent' || n)::uuid, $1, 'agent-' || n, 'agent-' || n, CASE WHEN n % 10 = 0 THEN 'offline' ELSE 'online' END, 0
         FROM generate_series(1, 300) n`,
      [world.orgId],
    );
    await sql.query(
      `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
         recipient_workspace_id, title, status, created_at, last_nudged_at)
       SELECT md5('item' || n)::uuid, $1, 'task', 'user', 'ana', 'agent', md5('agent' || n % 300 + 1)::uuid,
         md5('agent' || n % 300 + 1)::uuid, 't', CASE WHEN n % 50 = 0 THEN 'pending' ELSE 'done' END,
         now() - make_interval(mins => 60 + n % 997), CASE WHEN n % 100 = 0 THEN now() - make_interval(mins => n % 120) END
         FROM generate_series(1, 20000) n`,
      [world.orgId],
    );
    await sql.exec('ANALYZE');
    const read: { text: string; params: readonly SqlValue[] }[] = [];
    const watched = (inner: Sql): Sql => ({
      ...inner,
      query: <T>(text: string, params: readonly SqlValue[] = []) => {
        if (/\brequests r\b/.test(text)) read.push({ text, params });
        return inner.query<T>(text, params);
      },
      transaction: (fn) => inner.transaction((tx) => fn(watched(tx))),
    });
    // First in due order, then, with a window that is too small, from each idle agent.
    for (const batchLimit of [200, 3]) {
      const before = read.length;
      await sql
        .transaction(async (tx) => {
          await world.sweep({ batchLimit }, { sql: watched(tx) });
          for (const { text, params } of read.slice(before)) await explain(tx, text, params, batchLimit);
          throw new Error('undo');
        })
        .catch((error: Error) => expect(error.message).toBe('undo'));
    }
    expect(read.length).toBeGreaterThan(8);
  });

  async function explain(
    tx: Sql,
    text: string,
    params: readonly SqlValue[],
    batchLimit: number,
  ): Promise<void> {
    const { rows } = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      params,
    );
    const nodes = nodesOf(rows[0]!['QUERY PLAN'][0]!.Plan);
    const onRequests = nodes.filter(
      (node) => node['Relation Name'] === 'requests' || node['Index Name']?.startsWith('requests'),
    );
    expect(onRequests.length).toBeGreaterThan(0);
    for (const node of onRequests) {
      expect(node['Node Type'], text).not.toBe('Seq Scan');
      if (node['Index Name']) expect(node['Index Name']).toMatch(/^requests_(nudge_due|nudge_agent|pkey)$/);
    }
    const rowsRead = onRequests.reduce(
      (sum, node) =>
        sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      0,
    );
    expect(rowsRead, text).toBeLessThanOrEqual(Math.max(20 * batchLimit, 3 * 300));
  }
});

describe('nudges beside others who hold rows of PostgreSQL', () => {
  let database: TestDatabase;
  /** Connections of another server. */
  let elsewhere: Sql;
  let world: NudgeWorld;

  beforeAll(async () => {
    database = await openTestPostgres();
    elsewhere = await openPostgres({ url: database.url! });
    world = new NudgeWorld(database.sql);
  });
  afterAll(async () => {
    await elsewhere.close();
    await database.close();
  });
  beforeEach(() => world.clear());

  it('an agent that is being changed is passed over, and an item that is being answered is not announced', async () => {
    const [held, free] = [await world.agent(), await world.agent()];
    await world.item(held);
    const answering = await world.item(free);
    const waiting = await world.item(free);
    await database.sql.transaction(async (tx) => {
      await tx.query('UPDATE workspaces SET active_tasks = 0 WHERE id = $1', [held]);
      await tx.query(`UPDATE requests SET status = 'done' WHERE id = $1`, [answering]);
      expect(await world.sweep({}, { sql: elsewhere })).toMatchObject({
        agents_nudged: 1,
        items_covered: 1,
        skipped: { locked: 1 },
      });
    });
    expect(await world.stamped()).toEqual(new Set([waiting]));
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1, items_covered: 1 });
  });

  it('a request for the agent can be filed while it is being nudged', async () => {
    const agent = await world.agent();
    await world.item(agent);
    const filer = new NudgeWorld(elsewhere);
    filer.orgId = world.orgId;
    const filing: typeof enqueue = async (tx, message) => {
      await filer.item(agent, { ageMinutes: 0 });
      return enqueue(tx, message);
    };
    expect(await world.sweep({}, { enqueue: filing })).toMatchObject({
      agents_nudged: 1,
      items_covered: 1,
      errors: 0,
    });
  });
});
