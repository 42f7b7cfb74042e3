import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLog, RouseError, systemClock } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import { enqueue } from '../../src/fleet/delivery/index.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';
import { type NewItem, NudgeWorld, shifted, textOf } from './nudge-world.ts';

/** The query of the specification, with its three numbers. */
const SPECIFIED = `
  SELECT r.recipient_id, array_agg(r.id::text) AS ids
    FROM requests r JOIN workspaces w ON w.id = r.recipient_id::uuid
   WHERE r.recipient_type = 'agent' AND r.status IN ('pending', 'info_requested')
     AND r.created_at < now() - interval '10 minutes'
     AND (r.last_nudged_at IS NULL OR r.last_nudged_at < now() - interval '1 hour')
     AND w.status = 'online' AND COALESCE(w.active_tasks, 0) = 0
   GROUP BY r.recipient_id LIMIT 200`;

describe.each(databases(import.meta.filename))('nudges on %s', (_name, open) => {
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

  it('a nudge sweep with nothing to do is a clean no-op', async () => {
    expect(await world.sweep()).toMatchObject({ agents_nudged: 0, items_covered: 0, errors: 0, more: false });
    expect(await world.nudges()).toEqual([]);
    expect(await world.sweeper().mayHaveWork?.(sql)).toBe(false);
  });

  it('two stale items of an idle agent make one message, and both are stamped', async () => {
    const agent = await world.agent();
    const items = [await world.item(agent), await world.item(agent, { status: 'info_requested' })];
    expect(await world.sweeper().mayHaveWork?.(sql)).toBe(true);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1, items_covered: 2, errors: 0 });
    const [nudge, ...others] = await world.nudges();
    expect(others).toEqual([]);
    const hour = Math.floor(nudge!.enqueued_at.getTime() / 3_600_000) * 3600;
    expect(nudge).toMatchObject({
      workspace_id: agent,
      status: 'queued',
      method: 'message/send',
      priority: 10,
      caller_id: null,
      caller_user: null,
      idempotency_key: `inbox-nudge:${agent}:${hour}`,
      body: { method: 'message/send', params: { message: { role: 'user' } } },
    });
    expect(nudge!.body.params.message.messageId).toMatch(/^inbox-nudge-[0-9a-f-]{36}$/);
    expect(nudge!.expires_at!.getTime() - nudge!.enqueued_at.getTime()).toBe(3_600_000);
    expect(textOf(nudge!)).toBe(
      'You have 2 unhandled inbox requests awaiting your response. Use list_inbox to see them and respond_request / add_request_message to act.',
    );
    expect(await world.stamped()).toEqual(new Set(items));
  });

  it('a nudge for one item is in the singular', async () => {
    await world.item(await world.agent());
    await world.sweep();
    expect(textOf((await world.nudges())[0]!)).toContain('You have 1 unhandled inbox request awaiting');
  });

  it('a nudge carries a count only: nothing that a person or an agent wrote', async () => {
    await world.item(await world.agent(), {
      title: 'SECRET-TITLE',
      requester: { type: 'user', id: 'SECRET-ANA' },
    });
    await world.sweep();
    expect(JSON.stringify((await world.nudges())[0]!.body)).not.toContain('SECRET');
  });

  const untouched: [string, Parameters<NudgeWorld['agent']>[0], NewItem][] = [
    ['a busy agent', { activeTasks: 1 }, {}],
    ['an agent that is offline', { status: 'offline' }, {}],
    ['an agent that is paused', { status: 'paused' }, {}],
    ['an agent that a person has paused on its host', { pausedUntil: 'infinity' }, {}],
    ['an agent that a person has paused until later', { pausedUntil: '2100-01-01T00:00:00Z' }, {}],
    ['an agent that is degraded', { status: 'degraded' }, {}],
    ['an agent that was removed', { status: 'removed' }, {}],
    ['a person', {}, { recipientType: 'user', recipientId: 'ana' }],
    ['an item nudged 59 minutes ago', {}, { ageMinutes: 120, nudgedMinutesAgo: 59 }],
    ['an item nine minutes old', {}, { ageMinutes: 9 }],
    ['an item of exactly ten minutes less a second', {}, { ageMinutes: 10 - 1 / 60 }],
    ['a done item', {}, { status: 'done' }],
    ['a rejected item', {}, { status: 'rejected' }],
    ['an approved item', {}, { status: 'approved' }],
    ['a cancelled item', {}, { status: 'cancelled' }],
  ];
  it.each(untouched)('%s is not nudged: no message, no stamp', async (_what, agent, item) => {
    await world.item(await world.agent(agent), item);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 0, items_covered: 0, errors: 0 });
    expect(await world.nudges()).toEqual([]);
    expect(await world.stamped()).toEqual(new Set());
  });

  it('an item nudged 61 minutes ago is announced again', async () => {
    await world.item(await world.agent(), { ageMinutes: 200, nudgedMinutesAgo: 61 });
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1, items_covered: 1 });
  });

  it('a message that cannot be enqueued leaves no stamp, does not stop the others, and is tried again', async () => {
    const [bad, good] = [await world.agent(), await world.agent()];
    const item = await world.item(bad, { ageMinutes: 60 });
    await world.item(good);
    const failing: typeof enqueue = (tx, message) => {
      if (message.workspaceId === bad) throw new Error('the queue is full');
      return enqueue(tx, message);
    };
    expect(await world.sweep({}, { enqueue: failing })).toMatchObject({ agents_nudged: 1, errors: 1 });
    expect(await world.stamped()).not.toContain(item);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1, items_covered: 1, errors: 0 });
    expect(await world.stamped()).toContain(item);
  });

  it('agents that fail, however many, do not keep others from being nudged, and are reported once', async () => {
    const failing: string[] = [];
    for (let index = 0; index < 12; index++) {
      failing.push(await world.agent());
      await world.item(failing.at(-1)!, { ageMinutes: 300 });
    }
    const healthy = [await world.agent(), await world.agent()];
    for (const agent of healthy) await world.item(agent, { ageMinutes: 60 });
    const broken = new Set(failing);
    const log: string[] = [];
    const sweeper = world.sweeper(
      { batchLimit: 4 },
      {
        enqueue: (tx, message) =>
          broken.has(message.workspaceId) ? Promise.reject(new Error('no room')) : enqueue(tx, message),
        log: createLog({ clock: systemClock, write: (line) => log.push(line) }),
      },
    );
    const pass = () => sweeper.run({ sql, dryRun: false, signal: new AbortController().signal });
    const nudged = async () => (await world.nudges()).map((nudge) => nudge.workspace_id).sort();
    expect(await pass()).toMatchObject({ agents_nudged: 2, errors: 12, more: false });
    expect(await pass()).toMatchObject({ agents_nudged: 0, errors: 4 });
    expect(await nudged()).toEqual([...healthy].sort());
    expect(log.filter((line) => line.includes('a nudge failed'))).toHaveLength(12);
    broken.clear();
    for (let index = 0; index < 3; index++) await pass();
    expect(await nudged()).toEqual([...healthy, ...failing].sort());
  });

  it('a database that goes away ends the pass with an error', async () => {
    for (let index = 0; index < 3; index++) await world.item(await world.agent());
    let tried = 0;
    const away = (): Promise<never> => {
      tried++;
      return Promise.reject(new RouseError('unavailable', 'gone', { facts: { sqlstate: '57P01' } }));
    };
    await expect(world.sweep({}, { enqueue: away })).rejects.toThrow('gone');
    expect(tried).toBe(1);
  });

  it('a failure after the message was stored leaves neither message nor stamp', async () => {
    await world.item(await world.agent());
    const torn: typeof enqueue = async (tx, message) => {
      await enqueue(tx, message);
      throw new Error('the power went out');
    };
    expect(await world.sweep({}, { enqueue: torn })).toMatchObject({ agents_nudged: 0, errors: 1 });
    expect(await world.nudges()).toEqual([]);
    expect(await world.stamped()).toEqual(new Set());
  });

  it('a nudge sweep covers exactly what the specified query finds, whatever the mixture', async () => {
    const agents = fc.record({
      status: fc.constantFrom('online', 'online', 'online', 'offline', 'paused', 'degraded'),
      activeTasks: fc.constantFrom(0, 0, 0, 1),
    });
    const items = fc.record(
      {
        agent: fc.nat(5),
        ageMinutes: fc.constantFrom(0, 9, 10.1, 11, 61, 500),
        nudgedMinutesAgo: fc.constantFrom(0.1, 30, 59, 61, 400),
        status: fc.constantFrom('pending', 'pending', 'info_requested', 'done', 'cancelled'),
        recipientType: fc.constantFrom('agent' as const, 'agent' as const, 'user' as const),
      },
      { requiredKeys: ['agent', 'ageMinutes', 'status', 'recipientType'] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(agents, { minLength: 6, maxLength: 6 }),
        fc.array(items, { maxLength: 15 }),
        fc.constantFrom(1, 2, 200),
        async (agentSpecs, itemSpecs, batchLimit) => {
          await world.clear();
          const ids: string[] = [];
          for (const spec of agentSpecs) ids.push(await world.agent(spec));
          for (const { agent, ...item } of itemSpecs) await world.item(ids[agent]!, item);
          const { rows } = await sql.query<{ recipient_id: string; ids: string[] }>(SPECIFIED);
          const before = await world.stamped();
          for (let sweeps = 0; sweeps < 6; sweeps++) await world.sweep({ batchLimit });
          const stamped = await world.stamped();
          expect(new Set([...stamped].filter((id) => !before.has(id)))).toEqual(
            new Set(rows.flatMap((row) => row.ids)),
          );
          const nudged = (await world.nudges()).map((nudge) => nudge.workspace_id);
          expect(nudged.sort()).toEqual(rows.map((row) => row.recipient_id).sort());
        },
      ),
      { numRuns: sql.dialect === 'postgres' ? 30 : 8 },
    );
  });

  it('bad recipients are left out, counted and reported once; the others get their nudge', async () => {
    const lines: string[] = [];
    const log = createLog({ clock: systemClock, write: (line) => lines.push(line) });
    const agent = await world.agent();
    const deleted = await world.agent();
    for (const recipientId of ['unknown', '', '-'.repeat(36), "'; DROP TABLE requests; --"])
      await world.item(null, { recipientId });
    await world.item(deleted);
    await sql.query('DELETE FROM workspaces WHERE id = $1', [deleted]);
    await world.item(agent, { recipientId: agent.toUpperCase() });
    const sweeper = world.sweeper({}, { log });
    const run = () => sweeper.run({ sql, dryRun: false, signal: new AbortController().signal });
    expect(await run()).toMatchObject({ agents_nudged: 1, items_covered: 1, bad_rows: 5, errors: 0 });
    expect(await run()).toMatchObject({ agents_nudged: 0, bad_rows: 5, errors: 0 });
    expect(lines.filter((line) => line.includes('do not exist'))).toHaveLength(1);
  });

  it('sweeps at once from several servers make one nudge for each agent', async () => {
    const agents: string[] = [];
    for (let n = 0; n < 12; n++) {
      agents.push(await world.agent());
      for (let item = 0; item < 3; item++) await world.item(agents[n]!);
    }
    const results = await Promise.all(Array.from({ length: 5 }, () => world.sweep()));
    expect(results.reduce((sum, result) => sum + result.errors, 0)).toBe(0);
    expect(results.reduce((sum, result) => sum + result.agents_nudged, 0)).toBe(12);
    expect(results.reduce((sum, result) => sum + result.items_covered, 0)).toBe(36);
    expect((await world.nudges()).map((nudge) => nudge.workspace_id).sort()).toEqual(agents.sort());
  });

  it('a sweep just before the full hour and one just after it make one nudge', async () => {
    const agent = await world.agent();
    await world.item(agent);
    const untilHour = 3600 - ((Date.now() / 1000) % 3600);
    let offset = untilHour - 60;
    const clock = shifted(sql, () => offset);
    expect(await world.sweep({}, { sql: clock })).toMatchObject({ agents_nudged: 1 });
    await world.drain(agent);
    offset = untilHour + 60;
    expect(await world.sweep({}, { sql: clock })).toMatchObject({ agents_nudged: 0 });
    offset = untilHour + 3600;
    expect(await world.sweep({}, { sql: clock })).toMatchObject({ agents_nudged: 1 });
    const keys = (await world.nudges(agent)).map((nudge) => Number(nudge.idempotency_key.split(':')[2]));
    expect(keys[1]! - keys[0]!).toBe(2 * 3600);
  });

  it('a nudge that was delivered is not made again in its hour, and is made again after it', async () => {
    const agent = await world.agent();
    await world.item(agent);
    await world.sweep();
    expect(await world.drain(agent)).toHaveLength(1);
    await world.pass(59);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 0 });
    await world.pass(2);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1 });
  });

  it('a second nudge is not put behind one that waits; when that one has expired it is', async () => {
    const agent = await world.agent();
    await world.item(agent);
    await world.sweep();
    await world.pass(30);
    const late = await world.item(agent);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 0, skipped: { queued: 1 } });
    expect(await world.stamped()).not.toContain(late);
    await world.pass(31);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1, items_covered: 2 });
    const nudges = await world.nudges(agent);
    expect(nudges.filter(({ status }) => status === 'queued').length).toBeGreaterThan(0);
    expect((await world.drain(agent)).map(textOf)).toEqual([expect.stringContaining('2 unhandled')]);
  });

  it('a new item five minutes later is announced with the count of all that are open; with spacing it waits', async () => {
    const agent = await world.agent();
    await world.item(agent);
    await world.sweep();
    await world.drain(agent);
    await world.pass(5);
    const late = await world.item(agent);
    expect(await world.sweep({ agentSpacingSeconds: 900 })).toMatchObject({
      agents_nudged: 0,
      skipped: { spacing: 1 },
    });
    expect(await world.stamped()).not.toContain(late);
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1, items_covered: 1 });
    expect(textOf((await world.nudges(agent))[1]!)).toContain('2 unhandled inbox requests');
    await world.drain(agent);
    await world.pass(16);
    await world.item(agent);
    expect(await world.sweep({ agentSpacingSeconds: 900 })).toMatchObject({
      agents_nudged: 1,
      items_covered: 1,
    });
  });

  it('500 agents with a limit of 200 are served in three sweeps, those who waited longest first', async () => {
    await sql.query(
      `INSERT INTO workspaces (id, org_id, agent_id, name, status)
       SELECT md5('agent' || n)::uuid, $1, 'agent-' || n, 'agent-' || n, 'online' FROM generate_series(1, 500) n`,
      [world.orgId],
    );
    await sql.query(
      `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
         recipient_workspace_id, title, created_at, last_nudged_at)
       SELECT md5('item' || n || '-' || copy)::uuid, $1, 'task', 'user', 'ana', 'agent', md5('agent' || n)::uuid,
         md5('agent' || n)::uuid, 't', now() - make_interval(mins => 1000 + n),
         CASE WHEN n % 2 = 0 THEN now() - make_interval(mins => 1000 + n - 50) END
         FROM generate_series(1, 500) n, generate_series(1, 2) copy`,
      [world.orgId],
    );
    const served: string[][] = [];
    for (let sweep = 1; sweep <= 3; sweep++) {
      const result = await world.sweep();
      expect(result).toMatchObject({ agents_nudged: sweep < 3 ? 200 : 100, more: sweep < 3, errors: 0 });
      const { rows } = await sql.query<{ agent_id: string }>(
        'SELECT w.agent_id FROM a2a_queue q JOIN workspaces w ON w.id = q.workspace_id',
      );
      const before = new Set(served.flat());
      served.push(rows.map((row) => row.agent_id).filter((id) => !before.has(id)));
    }
    const numbers = served.map((ids) => ids.map((id) => Number(id.slice(6))));
    expect(new Set(numbers.flat()).size).toBe(500);
    // Older items have higher numbers, and every agent's item is due 10 to 60 minutes after it was made.
    expect(Math.min(...numbers[0]!)).toBeGreaterThan(Math.max(...numbers[2]!));
  });

  it('10 000 items of one agent are one nudge, without long statements or lists of ids', async () => {
    const agent = await world.agent();
    await sql.query(
      `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
         recipient_workspace_id, title, created_at)
       SELECT md5('item' || n)::uuid, $1::uuid, 'task', 'user', 'ana', 'agent', $2::text, $2::uuid, 't', now() - interval '1 day'
         FROM generate_series(1, 10000) n`,
      [world.orgId, agent],
    );
    const other = await world.agent();
    await world.item(other);
    let [longest, most] = [0, 0];
    const watched = (inner: Sql): Sql => ({
      ...inner,
      async query<T>(text: string, params = []) {
        const result = await inner.query<T>(text, params);
        longest = Math.max(longest, text.length + JSON.stringify(params).length);
        most = Math.max(most, result.rows.length);
        return result;
      },
      transaction: (fn) => inner.transaction((tx) => fn(watched(tx))),
    });
    expect(await world.sweep({}, { sql: watched(sql) })).toMatchObject({
      agents_nudged: 2,
      items_covered: 10_001,
    });
    expect(textOf((await world.nudges(agent))[0]!)).toContain('10000 unhandled');
    expect(longest).toBeLessThan(5000);
    expect(most).toBeLessThan(10);
  });

  it('an item answered before its nudge is sent takes the nudge with it', async () => {
    const agent = await world.agent();
    const item = await world.item(agent);
    await world.sweep();
    await sql.query(`UPDATE requests SET status = 'done' WHERE id = $1`, [item]);
    expect(await world.drain(agent)).toEqual([]);
    expect(await world.nudges(agent)).toMatchObject([{ status: 'dropped', last_error: 'nothing to nudge' }]);
  });

  it('an item answered, or an agent that starts to work, between the choice and the message gets none', async () => {
    const [answered, busy, away] = [await world.agent(), await world.agent(), await world.agent()];
    const item = await world.item(answered);
    await world.item(busy);
    await world.item(away);
    let changed = false;
    const late: Sql = {
      ...sql,
      async transaction(fn) {
        if (!changed) {
          changed = true;
          await sql.query(`UPDATE requests SET status = 'done' WHERE id = $1`, [item]);
          await sql.query('UPDATE workspaces SET active_tasks = 1 WHERE id = $1', [busy]);
          await sql.query(`UPDATE workspaces SET status = 'paused' WHERE id = $1`, [away]);
        }
        return sql.transaction(fn);
      },
    };
    expect(await world.sweep({}, { sql: late })).toMatchObject({
      agents_nudged: 0,
      skipped: { handled: 1, busy: 1, offline: 1 },
    });
    expect(await world.nudges()).toEqual([]);
  });

  it('a dry run of nudges says what would be done and does nothing', async () => {
    const agent = await world.agent();
    await world.item(agent);
    await world.item(agent, { ageMinutes: 45 });
    await world.item(await world.agent({ activeTasks: 1 }));
    const result = await world.sweep({}, { dryRun: true });
    expect(result).toMatchObject({ agents_nudged: 1, items_covered: 2, skipped: { busy: 1 } });
    expect(result.oldest_age_s).toBeGreaterThanOrEqual(45 * 60);
    expect(await world.nudges()).toEqual([]);
    expect(await world.stamped()).toEqual(new Set());
  });

  it('with back-off an unanswered item waits one, two, four hours, at most a day; an action starts over', async () => {
    const agent = await world.agent();
    const item = await world.item(agent);
    const waits: number[] = [];
    for (const hours of [1, 2, 4, 8, 16, 24, 24]) {
      expect(await world.sweep({ backoff: true })).toMatchObject({ agents_nudged: 1 });
      await world.drain(agent);
      await world.pass(hours * 60 - 1);
      expect(await world.sweep({ backoff: true })).toMatchObject({ agents_nudged: 0 });
      await world.pass(2);
      waits.push(hours);
    }
    expect(waits).toHaveLength(7);
    await world.sweep({ backoff: true });
    await sql.query('UPDATE requests SET updated_at = clock_timestamp() WHERE id = $1', [item]);
    await world.drain(agent);
    await world.pass(61);
    expect(await world.sweep({ backoff: true })).toMatchObject({ agents_nudged: 1 });
  });

  it('after the allowed nudges the requester is informed once, when that was asked for', async () => {
    const [agent, requester] = [await world.agent(), await world.agent({ activeTasks: 1 })];
    const item = await world.item(agent, {
      ageMinutes: 600,
      nudgedMinutesAgo: 61,
      nudgeCount: 3,
      requester: { type: 'agent', id: requester },
    });
    await world.item(agent, {
      ageMinutes: 600,
      nudgedMinutesAgo: 61,
      nudgeCount: 3,
      requester: { type: 'user', id: 'ana' },
    });
    await world.item(agent, { ageMinutes: 600, nudgedMinutesAgo: 61, nudgeCount: 2 });
    expect(await world.sweep({ maxNudges: 3 })).toMatchObject({
      agents_nudged: 1,
      items_covered: 3,
      escalated: 2,
    });
    const [notice] = await world.nudges(requester);
    expect(notice).toMatchObject({ idempotency_key: `request-escalated:${item}`, priority: 10 });
    expect(textOf(notice!)).toContain(item);
    await world.drain(agent);
    await world.pass(61);
    expect(await world.sweep({ maxNudges: 3 })).toMatchObject({ items_covered: 3, escalated: 1 });
    expect(await world.nudges(requester)).toHaveLength(1);
  });

  it('an agent that stopped sending heartbeats is not nudged when one is required; one that never sent any is', async () => {
    const [silent, never] = [await world.agent({ heartbeatMinutesAgo: 10 }), await world.agent()];
    await sql.query('UPDATE workspaces SET last_heartbeat_at = NULL WHERE id = $1', [never]);
    await world.item(silent);
    await world.item(never);
    expect(await world.sweep({ heartbeatMaxAgeSeconds: 180 })).toMatchObject({
      agents_nudged: 1,
      skipped: { offline: 1 },
    });
    expect(await world.sweep()).toMatchObject({ agents_nudged: 1 });
    expect(await world.nudges(silent)).toHaveLength(1);
  });

  it('a nudge sweep stops after the agents in hand when it is asked to end, and says that there is more', async () => {
    for (let n = 0; n < 60; n++) await world.item(await world.agent());
    const asked = new AbortController();
    const stopping: typeof enqueue = (tx, message) => {
      asked.abort();
      return enqueue(tx, message);
    };
    const result = await world
      .sweeper({}, { enqueue: stopping })
      .run({ sql, dryRun: false, signal: asked.signal });
    expect(result).toMatchObject({ agents_nudged: 50, more: true });
    expect(await world.nudges()).toHaveLength(50);
  });

  it('agents with large inboxes are nudged in transactions of their own', async () => {
    const agents = [await world.agent(), await world.agent(), await world.agent()];
    for (const agent of agents)
      await sql.query(
        `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
           recipient_workspace_id, title, created_at)
         SELECT gen_random_uuid(), $1::uuid, 'task', 'user', 'ana', 'agent', $2::text, $2::uuid, 't', now() - interval '1 day'
           FROM generate_series(1, 3000)`,
        [world.orgId, agent],
      );
    let transactions = 0;
    const counted: Sql = {
      ...sql,
      transaction: (fn) => {
        transactions++;
        return sql.transaction(fn);
      },
    };
    expect(await world.sweep({}, { sql: counted })).toMatchObject({ agents_nudged: 3, items_covered: 9000 });
    expect(transactions).toBe(3);
  });
});
