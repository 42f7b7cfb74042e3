import * as fs from 'node:fs';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayClient } from '../../src/client/index.ts';
import { ACTORS, client } from './actors.ts';
import { CrashHouse } from './crash-house.ts';

/**
 * Kills whoever types at each named instant on the way, starts the gateway again, also with another agent process in
 * between, and compares what it says with what the agent really received: nothing that was accepted is lost, nothing is
 * submitted or interrupted twice, and the agent is not deaf: a prompt sent afterwards is submitted.
 */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const SEED = Number(process.env['ROUSE_SEED'] ?? 20_261_116);
const ROUNDS = FULL ? Number(process.env['ROUSE_CRASH_ROUNDS'] ?? 2) : 1;
/** Of each actor, in the short form. */
const SAMPLED = 2;

interface Crash {
  actor: string;
  point: string;
  relaunched: boolean;
}

const MATRIX: Crash[] = Object.entries(ACTORS).flatMap(([actor, { points }], index) => {
  const all = points.flatMap((point) => [false, true].map((relaunched) => ({ actor, point, relaunched })));
  if (FULL) return all;
  const order = fc.shuffledSubarray(all, { minLength: SAMPLED, maxLength: SAMPLED });
  return fc.sample(order, { seed: SEED + index, numRuns: 1 })[0]!;
});

let house: CrashHouse;
beforeAll(async () => {
  house = await CrashHouse.open();
});
afterAll(() => {
  if (FULL) console.log(fs.readFileSync(house.report, 'utf8'));
  return house.close();
});

describe('whoever types, killed', () => {
  it.each(MATRIX)('$actor at $point, tool relaunched: $relaunched', async (crash) => {
    // Whatever was started by one that failed is not there for the next.
    for (let round = 0; round < ROUNDS; round++) await crashOnce(crash, round).finally(() => house.detach());
  });
});

async function crashOnce({ actor, point, relaunched }: Crash, round: number): Promise<void> {
  const { actAndDie, settle } = ACTORS[actor]!;
  const text = `${actor} killed at ${point}, round ${round}, ${Date.now()}`;
  const before = house.interrupted();
  const id = await actAndDie(house, point, text);
  if (relaunched) await house.relaunch();
  const gateway = client((await house.attach()).port);
  await keepAll(gateway);
  const ended = (await settle?.(gateway, text, id)) ?? 'not asked';
  const next = `after ${text}`;
  const sent = await gateway.createRequest({ kind: 'submit_prompt', payload: { prompt: next } });
  const view = await gateway.getRequest(sent.request_id, true, { timeoutMs: 60_000 });
  const received = house.received(text);
  const told = `${actor} at ${point}: ${ended}, received ${received}; then ${view.outcome}: ${view.error_detail ?? ''}`;
  expect([view.outcome, house.received(next)], told).toEqual(['submitted', 1]);
  expect(received, told).toBeLessThanOrEqual(1);
  expect(house.interrupted() - before, told).toBeLessThanOrEqual(1);
  if (actor === 'a request' && ended === 'submitted') expect(received, told).toBe(1);
  const row = [actor, point, relaunched ? 'relaunched' : 'same tool', ended, received, view.outcome];
  fs.appendFileSync(house.report, `${row.join('\t')}\n`);
}

/** What was accepted for an earlier agent process is kept, as somebody would decide. */
async function keepAll(gateway: GatewayClient): Promise<void> {
  const { requests } = await gateway.reconciliation();
  if (requests.length > 0) await gateway.reconcile({ keep: requests.map(({ request_id }) => request_id) });
}
