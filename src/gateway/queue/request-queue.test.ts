import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import { codesOf, REQUEST_OUTCOMES } from '../../domain/index.ts';
import { type AcceptInput, InstanceStore, PRIORITY, QUEUE_MIGRATIONS, RequestQueue } from './index.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

function open(file?: string): { db: Sqlite; clock: FakeClock; queue: RequestQueue; file: string } {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-queue-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  const place = file ?? path.join(directory, 'queue.sqlite');
  const clock = new FakeClock();
  // These tests prove order and rules; crash tests prove durability with fsync on.
  const db = openSqlite({ file: place, migrations: QUEUE_MIGRATIONS, durable: false });
  ending.add(() => db.close());
  return { db, clock, queue: new RequestQueue(db, clock), file: place };
}

const prompt = (text: string, more: Partial<AcceptInput> = {}): AcceptInput => ({
  kind: 'submit_prompt',
  payload: { prompt: text },
  source: 'http',
  priority: PRIORITY.normal,
  epoch: 1,
  ...more,
});

const accept = async (queue: RequestQueue, input: AcceptInput): Promise<string> =>
  (await queue.accept(input)).row.request_id;

const texts = (queue: RequestQueue): string[] =>
  queue.queued(1000).map((row) => JSON.parse(row.payload_json).prompt);

describe('the order of the queue', () => {
  it('the queue is ordered by priority and then by acceptance, also within one millisecond', async () => {
    const { queue } = open();
    const priority = fc.constantFrom(PRIORITY.high, PRIORITY.normal, PRIORITY.low);
    const list = fc.sample(priority, { numRuns: 60, seed: 7 });
    await Promise.all(list.map((each, i) => queue.accept(prompt(`${i}`, { priority: each }))));
    const expected = list
      .map((each, i) => ({ each, i }))
      .sort((a, b) => b.each - a.each || a.i - b.i)
      .map(({ i }) => `${i}`);
    expect(texts(queue)).toEqual(expected);
    expect(queue.depth()).toBe(60);
  });

  it('the order of the queue does not depend on the clock', async () => {
    const { queue, clock } = open();
    await queue.accept(prompt('a'));
    clock.jumpWall(-3_600_000);
    await queue.accept(prompt('b'));
    expect(texts(queue)).toEqual(['a', 'b']);
  });

  it('a request is claimed by one caller only', async () => {
    const { queue } = open();
    const id = await accept(queue, prompt('x'));
    const claims = await Promise.all([queue.claim(id), queue.claim(id), queue.claim(id)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(queue.running().map((row) => row.request_id)).toEqual([id]);
  });

  it('a request that was not typed is requeued in its old place, and only returns after a crash are counted', async () => {
    const { queue } = open();
    const id = await accept(queue, prompt('first'));
    await queue.accept(prompt('second'));
    await queue.claim(id);
    await queue.giveBack(id, 'not ready');
    expect(texts(queue)).toEqual(['first', 'second']);
    expect(queue.get(id)).toMatchObject({ returns: 0, waiting_reason: 'not ready' });
    await queue.claim(id);
    await queue.giveBack(id, 'crash', { counted: true });
    expect(queue.get(id).returns).toBe(1);
  });
});

describe('the depth', () => {
  it('the depth of the queue follows every step and every rollback', async () => {
    const { queue, db } = open();
    const counted = (): number =>
      db.get<{ n: number }>(
        "SELECT COUNT(*) AS n FROM gateway_requests WHERE state IN ('accepted','running')",
      )!.n;
    const step = fc.constantFrom('accept', 'claim', 'back', 'finish', 'undone', 'expire', 'prune');
    for (const [i, each] of fc.sample(step, { numRuns: 200, seed: 11 }).entries()) {
      const [first] = queue.queued(1);
      const [running] = queue.running();
      if (each === 'accept') expect((await queue.accept(prompt(`${i}`))).depth).toBe(counted());
      if (each === 'claim' && first) await queue.claim(first.request_id);
      if (each === 'back' && running) await queue.giveBack(running.request_id, 'x');
      if (each === 'finish' && running) await queue.finish(running.request_id, { outcome: 'failed' });
      if (each === 'expire' && first) await queue.finish(first.request_id, { outcome: 'expired' });
      if (each === 'prune') queue.prune({ keepRows: 2, keepDays: 30 });
      if (each === 'undone') {
        const lost = queue.acceptWith((accept) => {
          accept(prompt('lost'));
          throw new Error('undone');
        });
        const both = Promise.allSettled([queue.accept(prompt('kept')), lost, queue.accept(prompt('kept'))]);
        expect((await both).map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      }
      expect(queue.depth()).toBe(counted());
    }
  });

  it('the depth of the queue is counted when it is opened', async () => {
    const { queue, file } = open();
    const [first] = await Promise.all([1, 2, 3].map((n) => accept(queue, prompt(`${n}`))));
    await queue.claim(first!);
    expect(open(file).queue.depth()).toBe(3);
  });
});

describe('an idempotency key', () => {
  it('an idempotency key makes concurrent retries one request', async () => {
    const { queue } = open();
    const all = await Promise.all(
      Array.from({ length: 20 }, () => queue.accept(prompt('once', { idempotencyKey: 'k' }))),
    );
    expect(new Set(all.map((each) => each.row.request_id)).size).toBe(1);
    expect(all.filter((each) => !each.duplicate)).toHaveLength(1);
    expect(queue.depth()).toBe(1);
  });

  it('an idempotency key is refused for other content, whatever the order of its fields, and also after the end', async () => {
    const { queue } = open();
    const first = await queue.accept(
      prompt('', { payload: { prompt: 'p', turn_id: 't' }, idempotencyKey: 'k' }),
    );
    await queue.finish(first.row.request_id, { outcome: 'submitted' });
    const same = prompt('', { payload: { turn_id: 't', prompt: 'p' }, idempotencyKey: 'k' });
    expect(await queue.accept(same)).toMatchObject({ duplicate: true, row: { outcome: 'submitted' } });
    await expect(queue.accept(prompt('other', { idempotencyKey: 'k' }))).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(
      queue.accept(prompt('', { kind: 'interrupt', payload: {}, idempotencyKey: 'k' })),
    ).rejects.toMatchObject({ code: 'conflict' });
    expect(queue.depth()).toBe(0);
  });
});

describe('an end', () => {
  it.each(codesOf(REQUEST_OUTCOMES))(
    'an end as %s is written once, with its state on the wire',
    async (outcome) => {
      const { queue } = open();
      const id = await accept(queue, prompt('x'));
      await queue.finish(id, { outcome, detail: 'why' });
      await queue.finish(id, { outcome: 'failed', detail: 'later' });
      const row = queue.get(id);
      expect(row).toMatchObject({ outcome, state: REQUEST_OUTCOMES[outcome].state });
      expect(row.error_detail).toBe(outcome === 'submitted' ? null : 'why');
      expect(queue.ledger(id).filter((entry) => entry.stage === 'finished')).toHaveLength(1);
      expect(await queue.claim(id)).toBe(false);
    },
  );

  it('a request expires at its time, unless it has begun', async () => {
    const { queue, clock } = open();
    const at = (ms: number): string => new Date(clock.now().getTime() + ms).toISOString();
    const soon = await accept(queue, prompt('soon', { expiresAtUtc: at(1000) }));
    const late = await accept(queue, prompt('late', { expiresAtUtc: at(5000) }));
    const begun = await accept(queue, prompt('begun', { expiresAtUtc: at(1000) }));
    await queue.claim(begun);
    expect([queue.nextExpiry(), await queue.expire()]).toEqual([at(1000), 0]);
    await clock.advance(1000);
    expect(await queue.expire()).toBe(1);
    expect([queue.get(soon).outcome, queue.get(late).outcome, queue.get(begun).outcome]).toEqual([
      'expired',
      null,
      null,
    ]);
  });
});

describe('what is kept', () => {
  it('kept requests are bounded by rows and days; live ones and the newest stay, ledgers go with their request', async () => {
    const { queue, db, clock } = open();
    const live = await accept(queue, prompt('live'));
    const ids = await Promise.all(Array.from({ length: 30 }, (_, i) => accept(queue, prompt(`${i}`))));
    for (const id of ids) await queue.finish(id, { outcome: 'submitted' });
    expect(queue.prune({ keepRows: 10, keepDays: 30 })).toBe(20);
    expect(queue.list({ limit: 100 }).map((row) => row.request_id)).toEqual([
      ...ids.slice(20).toReversed(),
      live,
    ]);
    expect(db.get('SELECT COUNT(DISTINCT request_id) AS n FROM gateway_request_stages')).toEqual({ n: 11 });
    await clock.advance(31 * 86_400_000);
    expect(queue.prune({ keepRows: 10, keepDays: 30 })).toBe(9);
    expect(queue.list({ limit: 100 }).map((row) => row.request_id)).toEqual([ids.at(-1), live]);
  });

  it('pruning never leads to a number being used twice, so a reader of events misses none', async () => {
    const { queue, clock } = open();
    for (let i = 0; i < 5; i++)
      await queue.finish(await accept(queue, prompt(`${i}`)), { outcome: 'submitted' });
    const last = queue.lastEntryId();
    await clock.advance(31 * 86_400_000);
    queue.prune({ keepRows: 0, keepDays: 1 });
    expect((await queue.accept(prompt('next'))).row.sequence).toBe(last + 1);
  });

  it('old requests are pruned as requests end', async () => {
    const { queue, clock } = open();
    const old = await accept(queue, prompt('old'));
    await queue.finish(old, { outcome: 'submitted' });
    await clock.advance(31 * 86_400_000);
    for (let i = 0; i < 100; i++)
      await queue.finish(await accept(queue, prompt(`${i}`)), { outcome: 'submitted' });
    expect(() => queue.get(old)).toThrow(/no request/);
  });
});

describe('epochs', () => {
  it('an epoch is an agent process: an unknown one changes nothing, another one begins the next', async () => {
    const { db } = open();
    const instances = new InstanceStore(db);
    expect(instances.observe(null)).toMatchObject({ epoch: 1 });
    expect(instances.observe('a')).toMatchObject({ epoch: 1, instance_id: 'a' });
    expect(instances.observe(null)).toMatchObject({ epoch: 1, instance_id: 'a' });
    expect(instances.observe('a')).toMatchObject({ epoch: 1 });
    expect(instances.observe('b')).toMatchObject({ epoch: 2, reconciled_epoch: 2 });
  });

  it('an epoch needs a decision exactly while accepted work of an earlier one is left, also after a restart', async () => {
    const { db, queue, file } = open();
    const instances = new InstanceStore(db);
    instances.observe('a');
    const [keep, drop] = [await accept(queue, prompt('keep')), await accept(queue, prompt('drop'))];
    expect(instances.observe('b')).toMatchObject({ epoch: 2, reconciled_epoch: 1 });
    expect(instances.settle()).toMatchObject({ reconciled_epoch: 1 });
    const other = openSqlite({ file, migrations: QUEUE_MIGRATIONS });
    expect(new InstanceStore(other).observe('b')).toMatchObject({ epoch: 2, reconciled_epoch: 1 });
    other.close();
    await queue.keep([keep], 2);
    expect(instances.settle()).toMatchObject({ reconciled_epoch: 1 });
    await queue.finish(drop, { outcome: 'cancelled' });
    expect(instances.settle()).toMatchObject({ reconciled_epoch: 2 });
    expect(queue.get(keep).managed_agent_instance_epoch).toBe(2);
    expect(queue.ledger(keep).at(-1)).toMatchObject({
      stage: 'kept',
      source: 'reconciliation',
      facts: { from_epoch: 1, to_epoch: 2 },
    });
  });
});

describe('the ledger', () => {
  it('the ledger emits every entry once, after it was written, in order', async () => {
    const { queue } = open();
    const emitted: number[] = [];
    queue.entries.on((entry) => {
      emitted.push(entry.entry_id);
      expect(queue.ledger(entry.request_id).map((each) => each.entry_id)).toContain(entry.entry_id);
    });
    const ids = await Promise.all([1, 2, 3].map((n) => accept(queue, prompt(`${n}`))));
    await Promise.all(ids.map((id) => queue.record(id, 'typing', 'composer', { a: 1 })));
    await Promise.all(ids.map((id) => queue.finish(id, { outcome: 'submitted' })));
    expect(emitted).toEqual(queue.ledgerAfter(0).map((entry) => entry.entry_id));
    expect(queue.ledgerAfter(0, ids[1]).map((entry) => entry.stage)).toEqual([
      'accepted',
      'typing',
      'finished',
    ]);
    expect(queue.ledgerAfter(emitted[5]!).map((entry) => entry.entry_id)).toEqual(emitted.slice(6));
  });
});
