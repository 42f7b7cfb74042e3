import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock, silentLog } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import { claim, enqueue } from '../../src/fleet/delivery/index.ts';
import { clockSweep, Sweepers } from '../../src/fleet/sweep/index.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';
import { message, newTarget, rowOf, type Target } from './delivery-support.ts';

/** Two days: what the clock of the database is set back by, seen from its rows. */
const AHEAD = `interval '2 days'`;

describe.each(databases(import.meta.filename))(
  'a clock of the database that was set back, on %s',
  (_name, open) => {
    let database: TestDatabase;
    let sql: Sql;
    let target: Target;
    beforeAll(async () => {
      database = await open();
      sql = database.sql;
      target = await newTarget(sql);
    });
    afterAll(() => database.close());

    const pass = () => clockSweep().run({ sql, dryRun: false, signal: new AbortController().signal });
    const mayHaveWork = () => clockSweep().mayHaveWork?.(sql);
    const secondsLeft = async (table: string, column: string, id: string): Promise<number> => {
      const { rows } = await sql.query<{ left: number }>(
        `SELECT extract(epoch FROM ${column} - now())::float8 AS left FROM ${table} WHERE id = $1`,
        [id],
      );
      return rows[0]!.left;
    };

    it('a database clock that was set back leaves nothing to do as long as it was not', async () => {
      expect(await mayHaveWork()).toBe(false);
      expect(await pass()).toEqual({ agents: 0, leases: 0, attempts: 0, nudges: 0 });
    });

    it('a database clock that was set back does not keep a lease from running out: it lasts as long as it was given for', async () => {
      const { id } = await enqueue(sql, message(target));
      const who = { workspaceId: target.workspaceId, sessionId: 'one', capacity: 10, leaseSeconds: 60 };
      await claim(sql, who);
      await sql.query(
        `UPDATE a2a_queue SET dispatched_at = dispatched_at + ${AHEAD}, lease_until = lease_until + ${AHEAD} WHERE id = $1`,
        [id],
      );
      expect(await mayHaveWork()).toBe(true);
      expect(await pass()).toMatchObject({ leases: 1 });
      const left = await secondsLeft('a2a_queue', 'lease_until', id);
      expect([left > 0, left <= 60]).toEqual([true, true]);
      expect(await rowOf(sql, id)).toMatchObject({ status: 'dispatched' });
    });

    it('a database clock that was set back does not keep a message from its next attempt', async () => {
      const { id } = await enqueue(sql, message(target));
      await sql.query(`UPDATE a2a_queue SET next_attempt_at = now() + ${AHEAD} WHERE id = $1`, [id]);
      expect(await pass()).toMatchObject({ attempts: 1 });
      expect(await secondsLeft('a2a_queue', 'next_attempt_at', id)).toBeLessThanOrEqual(0);
    });

    it('a database clock that was set back does not make a silent agent seem to live, and leaves what was never stamped alone', async () => {
      const { workspaceId } = target;
      await sql.query(`UPDATE workspaces SET last_heartbeat_at = now() + ${AHEAD} WHERE id = $1`, [
        workspaceId,
      ]);
      expect(await pass()).toMatchObject({ agents: 1 });
      expect(await secondsLeft('workspaces', 'last_heartbeat_at', workspaceId)).toBeLessThanOrEqual(0);
      const { rows } = await sql.query('SELECT last_inbox_nudge_at FROM workspaces WHERE id = $1', [
        workspaceId,
      ]);
      expect(rows).toEqual([{ last_inbox_nudge_at: null }]);
    });

    it('a database clock that was set back does not keep an open request from being nudged, for the first time or again', async () => {
      const file = async (nudged: string): Promise<string> => {
        const { rows } = await sql.query<{ id: string }>(
          `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id, title,
           created_at, last_nudged_at)
         VALUES (gen_random_uuid(), $1, 'task', 'user', 'ann', 'agent', $2, 'do it', now() + ${AHEAD}, ${nudged})
         RETURNING id`,
          [target.orgId, target.workspaceId],
        );
        return rows[0]!.id;
      };
      const [fresh, nudged] = [await file('NULL'), await file(`now() + ${AHEAD}`)];
      expect(await mayHaveWork()).toBe(true);
      expect(await pass()).toMatchObject({ nudges: 2 });
      for (const id of [fresh, nudged])
        expect(await secondsLeft('requests', 'created_at', id)).toBeLessThanOrEqual(0);
      expect(await secondsLeft('requests', 'last_nudged_at', nudged)).toBeLessThanOrEqual(0);
      expect(await pass()).toMatchObject({ nudges: 0 });
    });

    it('a database clock that was set back does not keep sweeps from running, however long a lease lasts', async () => {
      await sql.query(
        `INSERT INTO sweepers (name, holder, lease_until, last_started_at) VALUES ('clock-upkeep', 'dead', now() + ${AHEAD}, now())`,
      );
      const { id } = await enqueue(sql, message(target));
      await sql.query(`UPDATE a2a_queue SET next_attempt_at = now() + ${AHEAD} WHERE id = $1`, [id]);
      const sweepers = new Sweepers({ sql, clock: new FakeClock(), log: silentLog, holder: 'one' });
      const sweeper = sweepers.add(clockSweep());
      const ticked = sweeper.ticked.next();
      sweepers.start();
      await ticked;
      await sweepers.stop();
      expect(await secondsLeft('a2a_queue', 'next_attempt_at', id)).toBeLessThanOrEqual(0);
    });
  },
);
