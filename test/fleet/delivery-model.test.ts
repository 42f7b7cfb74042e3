import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/db/index.ts';
import { claim, enqueue, type Leased, upkeepPass } from '../../src/fleet/delivery/index.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';
import { acknowledge, message, newTarget, type Target } from './delivery-support.ts';

const SESSIONS = ['one', 'two', 'three'] as const;
type SessionName = (typeof SESSIONS)[number];

type Step =
  | { do: 'send'; key: number | null; priority: number }
  | { do: 'take'; by: SessionName[]; capacity: number }
  | { do: 'answer'; by: SessionName; how: 'accept' | 'refuse' | 'accept and be silent' | 'crash' }
  | { do: 'register'; session: SessionName }
  | { do: 'leases end' }
  | { do: 'wait out back-off' }
  | { do: 'upkeep' };

const session = fc.constantFrom(...SESSIONS);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      key: fc.option(fc.nat(3)),
      priority: fc.constantFrom(10, 50, 100),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('take' as const),
      by: fc.array(session, { minLength: 1, maxLength: 3 }),
      capacity: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      by: session,
      how: fc.constantFrom(
        'accept' as const,
        'refuse' as const,
        'accept and be silent' as const,
        'crash' as const,
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('register' as const), session }) },
  { weight: 2, arbitrary: fc.constant({ do: 'leases end' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'wait out back-off' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'upkeep' as const }) },
);

/** The true state of the gateways: what they took stays taken, whatever the server believes. */
class World {
  #sql: Sql;
  #target: Target;
  /** Created messages. */
  sent = new Set<string>();
  /** Which gateways hold the message in their own durable queue. */
  holders = new Map<string, Set<SessionName>>();
  /** Messages that sessions received and have not acknowledged. */
  #given = new Map<SessionName, Leased[]>(SESSIONS.map((name) => [name, []]));
  /** Leases that have not ended. */
  #live = new Map<string, number>();

  constructor(sql: Sql, target: Target) {
    this.#sql = sql;
    this.#target = target;
  }

  async play(each: Step): Promise<void> {
    switch (each.do) {
      case 'send':
        return this.#send(each.key, each.priority);
      case 'take':
        return void (await Promise.all(each.by.map((name) => this.take(name, each.capacity))));
      case 'answer':
        return this.#answer(each.by, each.how);
      case 'register':
        return void (await this.#query('UPDATE workspaces SET session_id = $2 WHERE id = $1', [
          each.session,
        ]));
      case 'leases end':
        return this.endLeases();
      case 'wait out back-off':
        return void (await this.#query(
          'UPDATE a2a_queue SET next_attempt_at = now() WHERE workspace_id = $1 AND next_attempt_at > now()',
        ));
      case 'upkeep':
        return void (await upkeepPass(this.#sql));
    }
  }

  #query(text: string, more: string[] = []) {
    return this.#sql.query(text, [this.#target.workspaceId, ...more]);
  }

  async #send(key: number | null, priority: number): Promise<void> {
    const wanted = message(this.#target, { priority, idempotencyKey: key === null ? null : `key-${key}` });
    const { id, created } = await enqueue(this.#sql, wanted);
    expect(this.sent.has(id)).toBe(!created);
    this.sent.add(id);
  }

  async take(name: SessionName, capacity: number): Promise<number> {
    const { workspaceId } = this.#target;
    const leased = await claim(this.#sql, { workspaceId, sessionId: name, capacity, leaseSeconds: 3600 });
    expect(leased.length).toBeLessThanOrEqual(capacity);
    for (const each of leased) {
      expect(this.#live.has(each.id), 'one lease at a time').toBe(false);
      this.#live.set(each.id, each.attempt);
      this.#given.get(name)!.push(each);
    }
    return leased.length;
  }

  async #answer(
    name: SessionName,
    how: 'accept' | 'refuse' | 'accept and be silent' | 'crash',
  ): Promise<void> {
    const given = this.#given.get(name)!;
    if (how === 'crash') return void given.splice(0);
    const leased = given.shift();
    if (!leased) return;
    const { id, attempt } = leased;
    const taken = this.holders.get(id) ?? new Set<SessionName>();
    // A gateway knows a message it has taken before.
    const accepts = how !== 'refuse' || taken.has(name);
    if (accepts) this.holders.set(id, taken.add(name));
    if (how === 'accept and be silent') return;
    const { result } = await acknowledge(this.#sql, {
      workspaceId: this.#target.workspaceId,
      sessionId: name,
      id,
      attempt,
      result: accepts ? 'accepted' : 'refused',
    });
    if (result === 'recorded' && this.#live.get(id) === attempt) this.#live.delete(id);
  }

  async endLeases(): Promise<void> {
    this.#live.clear();
    await this.#query(
      `UPDATE a2a_queue SET lease_until = now() WHERE workspace_id = $1 AND status = 'dispatched'`,
    );
  }

  /** One session stays, takes messages and acknowledges them until none is left. */
  async comeToRest(): Promise<void> {
    await this.play({ do: 'register', session: 'one' });
    for (const name of SESSIONS) this.#given.get(name)!.splice(0);
    for (;;) {
      await this.endLeases();
      await this.play({ do: 'wait out back-off' });
      if ((await this.take('one', 4)) === 0) return;
      for (let n = 0; n < 4; n++) await this.#answer('one', 'accept');
    }
  }
}

describe.each(databases(import.meta.filename))(
  'any order of sending, taking, answering, crashing and time passing, on %s',
  (_, open) => {
    let opened: TestDatabase;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it('any order of sending, taking, answering, crashing and time passing, never leases a message twice at once, never gives it to two gateways, and loses none', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const { sql } = opened;
          const target = await newTarget(sql);
          const world = new World(sql, target);
          for (const each of steps) await world.play(each);
          await world.comeToRest();
          const { rows } = await sql.query<{ id: string; status: string; last_error: string | null }>(
            'SELECT id, status, last_error FROM a2a_queue WHERE workspace_id = $1',
            [target.workspaceId],
          );
          expect(new Set(rows.map(({ id }) => id))).toEqual(world.sent);
          for (const { id, status, last_error } of rows) {
            const holders = world.holders.get(id)?.size ?? 0;
            expect(holders, 'one gateway at most').toBeLessThanOrEqual(1);
            if (status === 'completed') expect(holders).toBe(1);
            else expect([status, last_error]).toEqual(['failed', expect.any(String)]);
            if (status === 'failed' && holders === 1) expect(last_error).toContain('unknown');
          }
        }),
        { numRuns: 40 },
      );
    });
  },
);
