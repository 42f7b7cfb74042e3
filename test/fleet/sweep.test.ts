import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock, silentLog } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import { type Sweep, Sweepers, type SweepPass } from '../../src/fleet/sweep/index.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';

const INTERVAL_MS = 300_000;

/** A scripted sweep that reports its calls. */
function sweepOf(
  run: (pass: SweepPass, call: number) => Promise<Record<string, unknown>>,
): Sweep & { calls: number } {
  const sweep = {
    name: 'counting',
    summary: 'counts',
    intervalMs: INTERVAL_MS,
    calls: 0,
    run: (pass: SweepPass) => run(pass, ++sweep.calls),
  };
  return sweep;
}

function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe.each(databases(import.meta.filename))('the sweep runner on %s', (_name, open) => {
  let database: TestDatabase;
  let sql: Sql;
  const started: Sweepers[] = [];

  beforeAll(async () => {
    database = await open();
    sql = database.sql;
  });
  const stopAll = async (): Promise<void> => {
    for (const sweepers of started.splice(0)) await sweepers.stop();
  };
  afterAll(async () => {
    await stopAll();
    await database.close();
  });
  beforeEach(async () => {
    await stopAll();
    await sql.query('DELETE FROM sweepers');
  });

  /** A runner on a fake clock. */
  function runner(sweep: Sweep, { random = (): number => 0, holder = 'one' } = {}) {
    const clock = new FakeClock();
    const sweepers = new Sweepers({ sql, clock, log: silentLog, holder, random });
    started.push(sweepers);
    const sweeper = sweepers.add(sweep);
    const tick = async (ms: number): Promise<void> => {
      const ticked = sweeper.ticked.next();
      await clock.advance(ms);
      await ticked;
    };
    const begin = async (): Promise<void> => {
      const ticked = sweeper.ticked.next();
      sweepers.start();
      await ticked;
    };
    return { clock, sweepers, sweeper, tick, begin };
  }

  it('the sweep runner makes its first pass at once, then one per interval', async () => {
    const sweep = sweepOf(async () => ({}));
    const { begin, tick, clock } = runner(sweep);
    await begin();
    expect(sweep.calls).toBe(1);
    await clock.advance(INTERVAL_MS - 1);
    expect(sweep.calls).toBe(1);
    await tick(1);
    expect(sweep.calls).toBe(2);
  });

  it('the sweep runner spreads later passes by up to a tenth of the interval', async () => {
    const sweep = sweepOf(async () => ({}));
    const { begin, tick, clock } = runner(sweep, { random: () => 0.5 });
    await begin();
    await clock.advance(INTERVAL_MS * 1.05 - 1);
    expect(sweep.calls).toBe(1);
    await tick(1);
    expect(sweep.calls).toBe(2);
  });

  it('the sweep runner goes on after a pass that threw, sooner than the interval, and logs it', async () => {
    const sweep = sweepOf(async (_pass, call) => {
      if (call === 1) throw new Error('boom');
      return { found: 3 };
    });
    const { begin, tick, sweepers } = runner(sweep);
    await begin();
    expect(await sweepers.views()).toMatchObject([
      { last_error: 'boom', last_result: null, failures: 1, holder: null },
    ]);
    await tick(1000);
    expect(sweep.calls).toBe(2);
    expect(await sweepers.views()).toMatchObject([
      { last_error: null, last_result: { found: 3 }, runs: 2, failures: 1, holder: null, running: false },
    ]);
    expect(sweepers.metrics()).toContain('rouse_sweeper_result_total{sweeper="counting",field="found"} 3');
    expect(sweepers.metrics()).toContain('rouse_sweeper_failures_total{sweeper="counting"} 1');
  });

  it('the sweep runner waits longer after each failure, up to half a minute', async () => {
    const sweep = sweepOf(async () => {
      throw new Error('always');
    });
    const { begin, tick } = runner(sweep);
    await begin();
    for (const pause of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      const before = sweep.calls;
      await tick(pause);
      expect(sweep.calls).toBe(before + 1);
    }
  });

  it('the sweep runner skips a pass, without an error, while another server has the lease', async () => {
    const sweep = sweepOf(async () => ({}));
    const { sweepers } = runner(sweep);
    await sql.query(
      `INSERT INTO sweepers (name, holder, lease_until) VALUES ('counting', 'other', now() + interval '10 s')`,
    );
    expect(await sweepers.run('counting')).toMatchObject({ outcome: 'skipped', reason: 'lease' });
    expect(sweep.calls).toBe(0);
    expect(await sweepers.views()).toMatchObject([{ holder: 'other', failures: 0 }]);
  });

  it('the sweep runner takes over a lease that ran out, and leaves one that was taken over alone', async () => {
    const sweep = sweepOf(async () => {
      await sql.query(`UPDATE sweepers SET holder = 'thief' WHERE name = 'counting'`);
      return {};
    });
    const { sweepers } = runner(sweep);
    await sql.query(
      `INSERT INTO sweepers (name, holder, lease_until) VALUES ('counting', 'dead', now() - interval '1 s')`,
    );
    expect(await sweepers.run('counting')).toMatchObject({ outcome: 'done' });
    expect(await sweepers.views()).toMatchObject([{ holder: 'thief', runs: 0 }]);
  });

  it('the sweep runner runs one pass at a time in a process; a dry run may go beside it and leaves no trace', async () => {
    const open = gate();
    const entered = gate();
    const sweep = sweepOf(async ({ dryRun }) => {
      if (dryRun) return { dry: 1 };
      entered.resolve();
      await open.promise;
      return {};
    });
    const { sweepers } = runner(sweep);
    const first = sweepers.run('counting');
    await entered.promise;
    expect(await sweepers.run('counting')).toMatchObject({ outcome: 'skipped', reason: 'running' });
    const before = await sweepers.views();
    expect(await sweepers.run('counting', { dryRun: true })).toMatchObject({
      outcome: 'done',
      result: { dry: 1 },
    });
    expect(await sweepers.views()).toEqual(before);
    open.resolve();
    expect(await first).toMatchObject({ outcome: 'done' });
  });

  it('the sweep runner asks a pass to end when its time budget is over', async () => {
    const sweep = sweepOf(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ended: 1 }))),
    );
    const { sweepers, clock } = runner({ ...sweep, budgetMs: 2000 });
    const run = sweepers.run('counting', { dryRun: true });
    await clock.advance(2000);
    expect(await run).toMatchObject({ result: { ended: 1 } });
  });

  it('the sweep runner asks a pass to end when another server has its lease', async () => {
    const entered = gate();
    const sweep = sweepOf(({ signal }) => {
      entered.resolve();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ ended: 1 })));
    });
    const { sweepers, clock } = runner(sweep);
    const run = sweepers.run('counting');
    await entered.promise;
    await sql.query(`UPDATE sweepers SET holder = 'thief'`);
    await clock.advance(5000);
    expect(await run).toMatchObject({ result: { ended: 1 } });
  });

  it('the sweep runner writes nothing when a look says that there is nothing to do, but a manual run runs', async () => {
    const sweep = sweepOf(async () => ({}));
    const { begin, sweepers } = runner({ ...sweep, mayHaveWork: async () => false });
    await begin();
    expect((await sql.query('SELECT FROM sweepers')).rowCount).toBe(0);
    expect(await sweepers.run('counting')).toMatchObject({ outcome: 'done' });
  });

  it('the sweep runner stops cleanly in the middle of a pass and refuses new ones', async () => {
    const entered = gate();
    const sweep = sweepOf(({ signal }) => {
      entered.resolve();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ half: 1 })));
    });
    const { sweepers } = runner(sweep);
    sweepers.start();
    await entered.promise;
    await sweepers.stop();
    expect(await sweepers.views()).toMatchObject([
      { last_result: { half: 1 }, holder: null, running: false },
    ]);
    await expect(sweepers.run('counting')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('names the sweepers there are when asked for another', async () => {
    const { sweepers } = runner(sweepOf(async () => ({})));
    await expect(sweepers.run('nothing')).rejects.toMatchObject({
      code: 'not_found',
      hint: 'there are: counting',
    });
  });
});
