import { describe, expect, it, onTestFinished } from 'vitest';
import { drawSeed } from '../support/draw-seed.ts';
import { Seeded } from '../support/seeded.ts';
import type { Doomed, OwnEnd } from './doomed.ts';
import { Judge } from './judge.ts';
import { type Database, type Faults, KillWorld } from './kill-world.ts';
import { Load } from './load.ts';
import { makePeace } from './peace.ts';
import { KillPlan, type VictimKind } from './stages.ts';
import { killTable, verdictTable } from './tables.ts';

/**
 * Gateways and the fleet server are killed again and again under load, at crash points and at random times, while some of
 * their writes are refused and sometimes the disk is full. Afterwards everything accepted has reached its agent once, or has
 * the reason why not. ROUSE_PROOF=full kills 1,000 times; ROUSE_SEED repeats a run's choices.
 */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const KILLS = Number(process.env['ROUSE_KILLS'] ?? (FULL ? 1000 : 8));
const SEED = drawSeed();
const AGENTS = FULL ? 6 : 2;
/** An embedded database makes a thousand writes at its start, and ends if one fails. */
const someWritesFail = (database: Database) => ({
  gateway: 'ENOSPC,EIO,EMFILE 0.3%',
  server: database === 'PostgreSQL' ? 'ENOSPC,EIO,EMFILE 2%' : 'ENOSPC,EIO,EMFILE 0.01%',
});
/** This many kills with room on the disk, then this many without. */
const ROOMY = FULL ? 40 : 4;
const CRAMPED = FULL ? 4 : 1;

/** The share of each database. An embedded one takes seconds to start. */
const DATABASES: { database: Database; share: number }[] = FULL
  ? [
      { database: 'PostgreSQL', share: 0.75 },
      { database: 'the embedded database', share: 0.25 },
    ]
  : [{ database: 'PostgreSQL', share: 1 }];
/** The short form is too short to reach each. */
const OF_EACH_STAGE = Math.floor(KILLS / 50);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(DATABASES)('under load, on $database', ({ database, share }) => {
  it(
    'gateways and server killed at every stage, with faults and a full disk, lose nothing, double nothing and say nothing false',
    async ({ signal }) => {
      const plan = new KillPlan(new Seeded(SEED), { kills: KILLS * share, ofEach: OF_EACH_STAGE * share });
      const world = await KillWorld.open(database, AGENTS);
      onTestFinished(() => world.close());
      const began = performance.now();
      const load = new Load(world, new Seeded(SEED + 1), signal);
      const ends = await storm(world, plan, { faults: someWritesFail(database), signal });
      const seconds = Math.round((performance.now() - began) / 1000);
      await makePeace(world, load);
      await world.endAll();
      const judge = new Judge(world, load);
      await judge.judge();
      const cramped = plan.kills.filter(({ full }) => full).length;
      const atStart = ends.filter(({ wasReady }) => !wasReady).length;
      console.log(
        [
          `${database}, seed ${SEED}: ${plan.kills.length} kills in ${seconds} s; ${world.refusedWrites} writes refused,`,
          `the disk ${world.disk.isReal ? 'really' : 'as if'} full at ${cramped} of them, ${atStart} starts given up for that`,
          killTable(plan.kills),
          verdictTable(judge.verdicts),
          ...judge.wrongs,
        ].join('\n'),
      );
      expect(judge.wrongs).toEqual([]);
      expect(ends.filter(({ wasReady }) => wasReady)).toEqual([]);
      expect(plan.missing()).toEqual([]);
    },
    FULL ? 7_200_000 : 300_000,
  );
});

/** Kills each process independently until there are enough kills. Returns those that ended without being killed. */
async function storm(
  world: KillWorld,
  plan: KillPlan,
  { faults, signal }: { faults: Faults; signal: AbortSignal },
): Promise<OwnEnd[]> {
  const ends: OwnEnd[] = [];
  let full = false;
  let lost: string[] = [];
  const enough = (): boolean => signal.aborted || lost.length > 0 || plan.missing().length === 0;
  const lives = async (victim: Doomed, kind: VictimKind): Promise<void> => {
    while (!enough()) {
      const end = await victim.liveAndDie(plan.next(kind));
      if ('stage' in end) {
        plan.kills.push({ ...end, full });
        console.log(
          `kill ${plan.kills.length}: ${end.victim}, ${end.stage} (${end.point}) after ${end.ms} ms${full ? ', disk full' : ''}`,
        );
      } else {
        ends.push(end);
        if (end.wasReady) console.log(`ended by itself: ${JSON.stringify(end)}`);
        await pause(300);
      }
    }
  };
  const weather = async (): Promise<void> => {
    for (let next = ROOMY; !enough(); await pause(200)) {
      if (plan.kills.length < next) {
        if (full && world.disk.isReal) world.disk.fill();
        continue;
      }
      lost = world.lostTerminals();
      full = !full;
      next = plan.kills.length + (full ? CRAMPED : ROOMY);
      world.setFull(full, faults);
    }
  };
  world.setFaults(faults);
  await world.server.end();
  await Promise.all([
    weather(),
    lives(world.server, 'server'),
    ...world.agents.map(({ gateway }) => lives(gateway, 'gateway')),
  ]);
  expect(lost, 'agents whose tmux server died by itself').toEqual([]);
  return ends;
}
