import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '../../src/base/index.ts';
import type { GatewayClient } from '../../src/client/index.ts';
import { drawSeed } from '../support/draw-seed.ts';
import { proofReport } from '../support/proof-report.ts';
import { ACTORS, client } from './actors.ts';
import { CRASHES, type Crash, sampleOf } from './crash-sample.ts';
import { CrashWorld } from './crash-world.ts';

/**
 * Kills the typing process at each named instant, starts the gateway again, also with another agent process in
 * between, and compares its report with what the agent really received: nothing that was accepted is lost, nothing is
 * submitted or interrupted twice, and the agent still works: a prompt sent afterwards is submitted.
 */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const SEED = drawSeed();
const ROUNDS = FULL ? Number(process.env['ROUSE_CRASH_ROUNDS'] ?? 2) : 1;
/** Agents in parallel; each is used by one test at a time. */
const WORLDS = 3;

const free: CrashWorld[] = [];
const waiting: ((world: CrashWorld) => void)[] = [];
const report: string[] = [];
const broken: string[] = [];
const cells = FULL ? CRASHES : sampleOf(CRASHES, SEED);
const kills = cells.length * ROUNDS;
beforeAll(async () => {
  free.push(...(await Promise.all(Array.from({ length: WORLDS }, () => CrashWorld.open()))));
});
afterAll(async () => {
  if (!FULL) console.log(`crash points drawn by ROUSE_SEED=${SEED}`);
  proofReport(
    ...report,
    ...broken,
    `${report.length} of ${kills} kills left nothing doubled and every agent working`,
  );
  await Promise.all(free.map((world) => world.close()));
});

describe(`the typing process, killed (ROUSE_SEED=${SEED})`, () => {
  it.concurrent.each(cells)(
    '$actor killed at $point, tool relaunched: $relaunched, killed again: $again, types everything once',
    async (crash) => {
      const world = free.pop() ?? (await new Promise<CrashWorld>((resolve) => waiting.push(resolve)));
      try {
        // What a failed test started must be gone for the next one.
        for (let round = 0; round < ROUNDS; round++)
          await crashOnce(world, crash, round)
            .catch((error: unknown) => {
              broken.push(`${crash.actor} at ${crash.point}, round ${round}: ${messageOf(error)}`);
              throw error;
            })
            .finally(() => world.detach());
      } finally {
        const next = waiting.shift();
        if (next) next(world);
        else free.push(world);
      }
    },
  );
});

async function crashOnce(world: CrashWorld, crash: Crash, round: number): Promise<void> {
  const { actor, point, relaunched, again } = crash;
  const { actAndDie, settle } = ACTORS[actor]!;
  const text = `${actor} killed at ${point}, round ${round}, ${Date.now()}${again ? `,\nand again at ${again},\nwhile it is taken back` : ''}`;
  const before = world.interrupted();
  const id = await actAndDie(world, point, text);
  if (relaunched) await world.relaunch();
  if (again) await world.dieTakingBack(again);
  const gateway = client((await world.attach()).port);
  await keepAll(gateway);
  const ended = (await settle?.(gateway, text, id)) ?? 'not asked';
  const next = `after ${text}`;
  const sent = await gateway.call('requests.create', {
    body: { kind: 'submit_prompt', payload: { prompt: next } },
  });
  const view = await gateway.getRequest(sent.request_id, true, { timeoutMs: 60_000 });
  const received = world.received(text);
  const outline = `${actor} at ${point}: ${ended}, received ${received}; then ${view.outcome}: ${view.error_detail ?? ''}`;
  expect([view.outcome, world.received(next)], outline).toEqual(['submitted', 1]);
  expect(received, outline).toBeLessThanOrEqual(1);
  expect(world.interrupted() - before, outline).toBeLessThanOrEqual(1);
  if (actor === 'a request' && ended === 'submitted') expect(received, outline).toBe(1);
  if (actor === 'a request' && ended === 'failed') expect(received, outline).toBe(0);
  const then = again ?? (relaunched ? 'relaunched' : 'same tool');
  report.push([actor, point, then, ended, received, view.outcome].join('\t'));
}

/** Requests accepted for an earlier agent process are kept, as a person would decide. */
async function keepAll(gateway: GatewayClient): Promise<void> {
  const { requests } = await gateway.call('reconciliation.get', {});
  if (requests.length > 0)
    await gateway.call('reconciliation.decide', {
      body: { keep: requests.map(({ request_id }) => request_id) },
    });
}
