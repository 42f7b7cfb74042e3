import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Emitter } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import {
  acknowledgeAll,
  claim,
  DELIVERY_CHANNEL,
  DELIVERY_PRIORITY,
  type DeadLetterPage,
  type DispatchGuards,
  dropStale,
  enqueue,
  type Leased,
  listDeadLetters,
  readCursor,
  recordOutcome,
  replay,
  upkeepPass,
  writeCursor,
} from '../../src/fleet/delivery/index.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';
import { acknowledge, age, message, newTarget, rowOf, type Target } from './delivery-support.ts';

const LEASE = 60;
const HOUR = 3600;
const soon = (): Date => new Date(Date.now() + HOUR * 1000);

describe.each(databases(import.meta.filename))('messages to agents on %s', (_, open) => {
  let opened: TestDatabase;
  let sql: Sql;
  let target: Target;

  beforeAll(async () => {
    opened = await open();
    sql = opened.sql;
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    target = await newTarget(sql);
  });

  const take = (
    more: { capacity?: number; sessionId?: string; guards?: DispatchGuards } = {},
  ): Promise<Leased[]> =>
    claim(sql, {
      workspaceId: target.workspaceId,
      sessionId: 'one',
      capacity: 10,
      leaseSeconds: LEASE,
      ...more,
    });
  const answer = (leased: Leased, more: Partial<Parameters<typeof acknowledge>[1]> = {}) =>
    acknowledge(sql, {
      workspaceId: target.workspaceId,
      sessionId: 'one',
      id: leased.id,
      attempt: leased.attempt,
      result: 'accepted',
      ...more,
    });
  const ids = (leased: Leased[]): string[] => leased.map(({ id }) => id);

  describe('enqueue', () => {
    it('enqueueing stores the message, returns how many wait, and wakes the listeners', async () => {
      const heard = new Emitter<string | undefined>();
      const notified = heard.next((payload) => payload === target.workspaceId);
      const stop = await sql.listen(DELIVERY_CHANNEL, (payload) => heard.emit(payload));
      const first = await enqueue(sql, message(target));
      const second = await enqueue(sql, message(target));
      await notified;
      await stop();
      expect([first.created, first.depth, second.depth]).toEqual([true, 1, 2]);
      expect(await rowOf(sql, first.id)).toMatchObject({ status: 'queued', attempts: 0, priority: 50 });
    });

    it('enqueueing collapses pending duplicates and says so; an ended message frees its key', async () => {
      const once = await enqueue(sql, message(target, { idempotencyKey: 'k' }));
      const again = await enqueue(sql, message(target, { idempotencyKey: 'k' }));
      expect(again).toEqual({ id: once.id, created: false, depth: 1 });
      const [leased] = await take();
      expect(await enqueue(sql, message(target, { idempotencyKey: 'k' }))).toMatchObject({ id: once.id });
      await answer(leased!);
      expect((await enqueue(sql, message(target, { idempotencyKey: 'k' }))).created).toBe(true);
    });

    it('enqueueing keeps a key of the kind "once" taken after the end', async () => {
      const first = await enqueue(sql, message(target, { idempotencyKey: 'k', once: true }));
      await answer((await take())[0]!);
      expect(await enqueue(sql, message(target, { idempotencyKey: 'k', once: true }))).toEqual({
        id: first.id,
        created: false,
        depth: 0,
      });
    });

    it('keys of different agents do not meet', async () => {
      const other = await newTarget(sql);
      await enqueue(sql, message(target, { idempotencyKey: 'k' }));
      expect((await enqueue(sql, message(other, { idempotencyKey: 'k' }))).created).toBe(true);
    });

    it('a message that has expired does not swallow a new one with its key', async () => {
      const old = await enqueue(sql, message(target, { idempotencyKey: 'k', expiresAt: soon() }));
      await age(sql, old.id, 2 * HOUR);
      const fresh = await enqueue(sql, message(target, { idempotencyKey: 'k' }));
      expect(fresh).toMatchObject({ created: true, depth: 1 });
      expect(await rowOf(sql, old.id)).toMatchObject({
        status: 'dropped',
        last_error: expect.stringContaining('expired'),
      });
    });

    it('a message stuck with a session that is gone does not swallow a new one with its key', async () => {
      const old = await enqueue(sql, message(target, { idempotencyKey: 'k' }));
      await take({ sessionId: 'gone' });
      expect((await enqueue(sql, message(target, { idempotencyKey: 'k' }))).created).toBe(false);
      await age(sql, old.id, 2 * LEASE);
      expect((await enqueue(sql, message(target, { idempotencyKey: 'k' }))).created).toBe(true);
      expect(await rowOf(sql, old.id)).toMatchObject({
        status: 'failed',
        last_error: expect.stringContaining('unknown'),
      });
    });

    it('enqueueing refuses an agent of another tenant, or a removed one, as not found', async () => {
      const other = await newTarget(sql);
      const crossed = message({ orgId: other.orgId, workspaceId: target.workspaceId });
      await expect(enqueue(sql, crossed)).rejects.toMatchObject({ code: 'not_found' });
      await sql.query(`UPDATE workspaces SET status = 'removed' WHERE id = $1`, [target.workspaceId]);
      await expect(enqueue(sql, message(target))).rejects.toMatchObject({ code: 'not_found' });
    });

    it('enqueueing takes part in the transaction of the caller', async () => {
      const undone = sql.transaction(async (tx) => {
        await enqueue(tx, message(target, { idempotencyKey: 'k' }));
        throw new Error('changed my mind');
      });
      await expect(undone).rejects.toThrow('changed my mind');
      expect(await take()).toEqual([]);
    });

    it('many at once with one key make one message', async () => {
      const all = await Promise.all(
        Array.from({ length: 12 }, () => enqueue(sql, message(target, { idempotencyKey: 'k' }))),
      );
      expect(all.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    });
  });

  describe('claim', () => {
    it('a claim gives the most urgent first, then the oldest, up to the capacity', async () => {
      const info = await enqueue(sql, message(target, { priority: DELIVERY_PRIORITY.info }));
      const first = await enqueue(sql, message(target));
      const second = await enqueue(sql, message(target));
      const critical = await enqueue(sql, message(target, { priority: DELIVERY_PRIORITY.critical }));
      expect(ids(await take({ capacity: 2 }))).toEqual([critical.id, first.id]);
      expect(ids(await take())).toEqual([second.id, info.id]);
      expect(await take()).toEqual([]);
      expect(await take({ capacity: 0 })).toEqual([]);
    });

    it('a claim leaves out and drops what has expired', async () => {
      const { id } = await enqueue(sql, message(target, { expiresAt: soon() }));
      await age(sql, id, 2 * HOUR);
      expect(await take()).toEqual([]);
      expect(await rowOf(sql, id)).toMatchObject({ status: 'dropped', attempts: 0 });
    });

    it('a claim gives a message whose lease ran out again to the same session, under a new fence', async () => {
      const { id } = await enqueue(sql, message(target));
      const [first] = await take();
      expect(await take()).toEqual([]);
      await age(sql, id, 2 * LEASE);
      const [second] = await take();
      expect(second).toMatchObject({ id, attempt: first!.attempt + 1 });
      expect(await answer(first!)).toMatchObject({ result: 'stale' });
      expect(await answer(second!)).toMatchObject({ result: 'recorded' });
    });

    it('a claim never gives a message whose lease ran out to another session', async () => {
      const { id } = await enqueue(sql, message(target));
      await take();
      await age(sql, id, 2 * LEASE);
      expect(await take({ sessionId: 'two' })).toEqual([]);
      expect(await rowOf(sql, id)).toMatchObject({
        status: 'failed',
        claimed_by: 'one',
        last_error: expect.stringMatching(/another session.*unknown/),
      });
    });

    it('a claim gives up a message that five leases did not settle', async () => {
      const { id } = await enqueue(sql, message(target));
      for (let attempt = 1; attempt <= 5; attempt++) {
        expect(ids(await take())).toEqual([id]);
        await age(sql, id, 2 * LEASE);
      }
      expect(await take()).toEqual([]);
      expect(await rowOf(sql, id)).toMatchObject({ status: 'failed', attempts: 5 });
    });

    it('a claim asks the guard of its kind, drops what is no longer wanted, and fills the room', async () => {
      const nudge = await enqueue(sql, message(target, { kind: 'inbox_nudge', priority: 60 }));
      const wanted = await enqueue(sql, message(target));
      const asked: string[] = [];
      const guards: DispatchGuards = {
        inbox_nudge: async (_sql, { id }) => {
          asked.push(id);
          return 'nothing is open any more';
        },
      };
      expect(ids(await take({ capacity: 1, guards }))).toEqual([wanted.id]);
      expect(asked).toEqual([nudge.id]);
      expect(await rowOf(sql, nudge.id)).toMatchObject({
        status: 'dropped',
        last_error: 'nothing is open any more',
      });
    });

    it('a claim does not ask the guard about what may have been delivered already', async () => {
      const { id } = await enqueue(sql, message(target, { kind: 'inbox_nudge' }));
      await take();
      await age(sql, id, 2 * LEASE);
      const guards: DispatchGuards = { inbox_nudge: async () => 'nothing is open any more' };
      expect(ids(await take({ guards }))).toEqual([id]);
    });

    it('a claim gives every message to one of many who claim at once', async () => {
      const sent = await Promise.all(Array.from({ length: 40 }, () => enqueue(sql, message(target))));
      const taken = (await Promise.all(Array.from({ length: 8 }, () => take({ capacity: 7 })))).flat();
      expect(ids(taken).sort()).toEqual(sent.map(({ id }) => id).sort());
    });

    it('a claim finds the next message by an index that has them in order', async () => {
      const plan = await sql.transaction(async (tx) => {
        await tx.exec('SET LOCAL enable_seqscan = off');
        const { rows } = await tx.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN SELECT id FROM a2a_queue WHERE workspace_id = $1::uuid AND status = 'queued'
             AND (expires_at IS NULL OR expires_at > now()) AND (next_attempt_at IS NULL OR next_attempt_at <= now())
           ORDER BY priority DESC, enqueued_at, id LIMIT 5 FOR UPDATE SKIP LOCKED`,
          [target.workspaceId],
        );
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      expect(plan).toContain('a2a_queue_dispatch');
      expect(plan).not.toMatch(/Sort|Seq Scan/);
    });
  });

  describe('acknowledge', () => {
    it('an acknowledgement completes what the gateway accepted; a second one changes nothing', async () => {
      const { id } = await enqueue(sql, message(target));
      const [leased] = await take();
      expect(await answer(leased!, { requestId: 'gwreq-1' })).toEqual({ id, result: 'recorded' });
      expect(await answer(leased!, { requestId: 'gwreq-1' })).toEqual({ id, result: 'repeated' });
      expect(await rowOf(sql, id)).toMatchObject({
        status: 'completed',
        gateway_request_id: 'gwreq-1',
        outcome: null,
      });
    });

    it('an acknowledgement puts the same row back when it is refused, with its key, priority and place, and waits longer each time', async () => {
      const { id } = await enqueue(
        sql,
        message(target, { idempotencyKey: 'k', priority: 10, expiresAt: soon() }),
      );
      const before = await rowOf(sql, id);
      let waited = 0;
      for (let attempt = 1; attempt < 5; attempt++) {
        const [leased] = await take();
        expect(await answer(leased!, { result: 'refused', reason: 'busy' })).toMatchObject({
          result: 'recorded',
        });
        expect(await answer(leased!, { result: 'refused', reason: 'busy' })).toMatchObject({
          result: 'repeated',
        });
        expect(await take()).toEqual([]);
        const row = await rowOf(sql, id);
        expect(row).toMatchObject({
          status: 'queued',
          attempts: attempt,
          last_error: 'busy',
          claimed_by: null,
        });
        expect([row.idempotency_key, row.priority, row.enqueued_at, row.expires_at]).toEqual([
          before.idempotency_key,
          before.priority,
          before.enqueued_at,
          before.expires_at,
        ]);
        const base = 5 * 2 ** (attempt - 1);
        const { rows } = await sql.query<{ wait: number }>(
          'SELECT extract(epoch FROM next_attempt_at - now())::float8 AS wait FROM a2a_queue WHERE id = $1',
          [id],
        );
        expect(rows[0]!.wait).toBeLessThanOrEqual(base * 1.5);
        waited += base;
        await sql.query('UPDATE a2a_queue SET next_attempt_at = now() WHERE id = $1', [id]);
      }
      expect(waited).toBe(75);
      await answer((await take())[0]!, { result: 'refused', reason: 'no' });
      expect(await rowOf(sql, id)).toMatchObject({ status: 'failed', attempts: 5, last_error: 'no' });
    });

    it('an acknowledgement does not try again what was refused for good', async () => {
      const { id } = await enqueue(sql, message(target));
      await answer((await take())[0]!, { result: 'refused', reason: 'not text', permanent: true });
      expect(await rowOf(sql, id)).toMatchObject({ status: 'failed', attempts: 1, last_error: 'not text' });
    });

    it('an acknowledgement is stale from another session, another agent, another attempt and for a message that is not there', async () => {
      await enqueue(sql, message(target));
      const [leased] = await take();
      const other = await newTarget(sql);
      for (const wrong of [
        { sessionId: 'two' },
        { workspaceId: other.workspaceId },
        { attempt: 7 },
        { id: randomUUID() },
      ]) {
        expect(await answer(leased!, wrong)).toMatchObject({ result: 'stale' });
      }
      expect(await rowOf(sql, leased!.id)).toMatchObject({ status: 'dispatched' });
    });

    it('an acknowledgement settles, however late, what was given up as unknown', async () => {
      const { id } = await enqueue(sql, message(target));
      const [leased] = await take();
      await age(sql, id, 2 * LEASE);
      await take({ sessionId: 'two' });
      expect(await answer(leased!, { requestId: 'gwreq-1' })).toMatchObject({ result: 'recorded' });
      expect(await rowOf(sql, id)).toMatchObject({ status: 'completed', last_error: null });
    });

    it('an acknowledgement takes many answers at once', async () => {
      for (let n = 0; n < 3; n++) await enqueue(sql, message(target));
      const [a, b, c] = await take();
      const holder = { workspaceId: target.workspaceId, sessionId: 'one' };
      const results = await acknowledgeAll(sql, holder, [
        { id: a!.id, attempt: 1, result: 'accepted' },
        { id: b!.id, attempt: 1, result: 'refused', reason: 'full' },
        { id: c!.id, attempt: 2, result: 'accepted' },
      ]);
      expect(results.map(({ result }) => result)).toEqual(['recorded', 'recorded', 'stale']);
      expect(await acknowledgeAll(sql, holder, [])).toEqual([]);
    });
  });

  describe('how it ended', () => {
    it('the end of a message is stored when its gateway reports it, the latest report wins, and only for its own agent', async () => {
      const { id } = await enqueue(sql, message(target));
      const at = new Date();
      const outcome = {
        workspaceId: target.workspaceId,
        id,
        requestId: 'gwreq-1',
        outcome: 'submitted' as const,
        at,
      };
      expect(await recordOutcome(sql, outcome)).toBe(false);
      await answer((await take())[0]!, { requestId: 'gwreq-1' });
      const other = await newTarget(sql);
      expect(await recordOutcome(sql, { ...outcome, workspaceId: other.workspaceId })).toBe(false);
      expect(await recordOutcome(sql, { ...outcome, requestId: 'gwreq-2' })).toBe(false);
      expect(await recordOutcome(sql, outcome)).toBe(true);
      expect(await recordOutcome(sql, { ...outcome, outcome: 'failed' })).toBe(false);
      expect(await rowOf(sql, id)).toMatchObject({ status: 'completed', outcome: 'submitted' });
    });

    it('the end of a message is evidence that the gateway had it, though its acknowledgement was lost', async () => {
      const { id } = await enqueue(sql, message(target));
      await take();
      await age(sql, id, 2 * LEASE);
      await take({ sessionId: 'two' });
      const outcome = {
        workspaceId: target.workspaceId,
        id,
        requestId: 'r',
        outcome: 'submitted' as const,
        at: new Date(),
      };
      expect(await recordOutcome(sql, outcome)).toBe(true);
      expect(await rowOf(sql, id)).toMatchObject({ status: 'completed', outcome: 'submitted' });
    });

    it('the end of a message is evidence also of one that was refused, by a disk that had taken it: it is not given out again', async () => {
      const { id } = await enqueue(sql, message(target));
      await answer((await take())[0]!, { result: 'refused', reason: 'no space' });
      const outcome = {
        workspaceId: target.workspaceId,
        id,
        requestId: 'r',
        outcome: 'submitted' as const,
        at: new Date(),
      };
      expect(await recordOutcome(sql, outcome)).toBe(true);
      expect(await rowOf(sql, id)).toMatchObject({ status: 'completed', outcome: 'submitted' });
      await age(sql, id, HOUR);
      expect(await take()).toEqual([]);
    });
  });

  describe('dead letters', () => {
    const kill = async (more: Parameters<typeof message>[1] = {}): Promise<string> => {
      const { id } = await enqueue(sql, message(target, more));
      await answer((await take())[0]!, { result: 'refused', reason: 'no', permanent: true });
      return id;
    };

    it('dead letters are listed, the latest first, a page at a time, within the tenant', async () => {
      const dead = [await kill(), await kill(), await kill()].reverse();
      const { orgId } = target;
      const idsOf = ({ messages }: DeadLetterPage): string[] => messages.map(({ queue_id }) => queue_id);
      const page = await listDeadLetters(sql, { orgId, limit: 2 });
      expect(idsOf(page)).toEqual(dead.slice(0, 2));
      const after = readCursor(writeCursor(page.next!));
      const rest = await listDeadLetters(sql, { orgId, limit: 2, after });
      expect([idsOf(rest), rest.next]).toEqual([dead.slice(2), undefined]);
      const other = await newTarget(sql);
      expect(await listDeadLetters(sql, { orgId: other.orgId, limit: 2 })).toEqual({
        messages: [],
        next: undefined,
      });
    });

    it('dead letters are replayed with a fresh allowance of attempts, and old answers stay stale', async () => {
      const { id } = await enqueue(sql, message(target, { expiresAt: soon() }));
      const [old] = await take();
      await answer(old!, { result: 'refused', permanent: true });
      await age(sql, id, 2 * HOUR);
      expect(await replay(sql, { orgId: target.orgId, id })).toMatchObject({
        status: 'queued',
        expires_at: null,
      });
      for (let attempt = 2; attempt <= 6; attempt++) {
        const [leased] = await take();
        expect(leased).toMatchObject({ id, attempt });
        expect(await answer(old!)).toMatchObject({ result: 'stale' });
        await answer(leased!, { result: 'refused' });
        await sql.query('UPDATE a2a_queue SET next_attempt_at = now() WHERE id = $1 AND status = $2', [
          id,
          'queued',
        ]);
      }
      expect(await rowOf(sql, id)).toMatchObject({ status: 'failed', attempts: 6 });
    });

    it('dead letters cannot be replayed by another tenant, when they are not dead, or while their key is in use', async () => {
      const id = await kill({ idempotencyKey: 'k' });
      const other = await newTarget(sql);
      const { orgId } = target;
      await expect(replay(sql, { orgId: other.orgId, id })).rejects.toMatchObject({ code: 'not_found' });
      const next = await enqueue(sql, message(target, { idempotencyKey: 'k' }));
      await expect(replay(sql, { orgId, id })).rejects.toMatchObject({ code: 'conflict' });
      await expect(replay(sql, { orgId, id: next.id })).rejects.toMatchObject({ code: 'conflict' });
      await expect(replay(sql, { orgId, id: randomUUID() })).rejects.toMatchObject({ code: 'not_found' });
      expect(await rowOf(sql, id)).toMatchObject({ status: 'failed' });
    });
  });

  describe('upkeep', () => {
    it('upkeep of messages drops stale messages by hand, with the reason even where there was none before', async () => {
      const old = await enqueue(sql, message(target));
      await age(sql, old.id, 2 * HOUR);
      const fresh = await enqueue(sql, message(target));
      const other = await newTarget(sql);
      const scope = { orgId: other.orgId, maxAgeMinutes: 60 };
      expect(await dropStale(sql, scope)).toBe(0);
      expect(await dropStale(sql, { ...scope, orgId: target.orgId })).toBe(1);
      expect(await rowOf(sql, old.id)).toMatchObject({
        status: 'dropped',
        last_error: expect.stringContaining('too long'),
      });
      expect(await rowOf(sql, fresh.id)).toMatchObject({ status: 'queued' });
    });

    it('upkeep of messages drops what expired, gives up what gone sessions held, leaves leases of the registered session', async () => {
      const expired = await enqueue(sql, message(target, { expiresAt: soon() }));
      await age(sql, expired.id, 2 * HOUR);
      const mine = await enqueue(sql, message(target));
      await take();
      const theirs = await enqueue(sql, message(target));
      await take({ sessionId: 'gone' });
      for (const { id } of [mine, theirs]) await age(sql, id, 2 * LEASE);
      expect(await upkeepPass(sql)).toMatchObject({ given_up: 1 });
      expect(await rowOf(sql, expired.id)).toMatchObject({ status: 'dropped' });
      expect(await rowOf(sql, theirs.id)).toMatchObject({ status: 'failed' });
      expect(await rowOf(sql, mine.id)).toMatchObject({ status: 'dispatched' });
      expect(await upkeepPass(sql)).toEqual({ expired: 0, given_up: 0, deleted: 0 });
    });

    it('upkeep of messages deletes what ended long ago, dead letters later than delivered ones, and never what is on its way', async () => {
      const done = await enqueue(sql, message(target));
      await answer((await take())[0]!);
      const dead = await enqueue(sql, message(target));
      await answer((await take())[0]!, { result: 'refused', permanent: true });
      const waiting = await enqueue(sql, message(target));
      for (const { id } of [done, dead, waiting]) await age(sql, id, 8 * 24 * HOUR);
      expect((await upkeepPass(sql)).deleted).toBe(1);
      expect(await rowOf(sql, done.id)).toBeUndefined();
      for (const { id } of [dead, waiting]) await age(sql, id, 30 * 24 * HOUR);
      expect((await upkeepPass(sql)).deleted).toBe(1);
      expect(await rowOf(sql, waiting.id)).toMatchObject({ status: 'queued' });
    });
  });
});
