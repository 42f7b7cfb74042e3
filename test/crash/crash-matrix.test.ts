import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayClient } from '../../src/client/index.ts';
import { CrashHouse } from './crash-house.ts';

/**
 * Kills the gateway at each named instant on the way from accept to finish, starts it again, and compares what it says
 * with what the agent really received: nothing accepted is lost, nothing is submitted twice.
 */
const POINTS = [
  'queue.accept.before-commit',
  'queue.accept.after-commit',
  'queue.claim.before-commit',
  'queue.claim.after-commit',
  'queue.record.typing.before-commit',
  'queue.record.typing.after-commit',
  'lane.typing',
  'lane.pasted',
  'lane.typed',
  'queue.record.typed.before-commit',
  'queue.record.typed.after-commit',
  'lane.entered',
  'queue.record.submitted.before-commit',
  'queue.record.submitted.after-commit',
  'lane.submitted',
  'queue.finish.before-commit',
  'queue.finish.after-commit',
];
const ROUNDS = process.env['ROUSE_PROOF'] === 'full' ? Number(process.env['ROUSE_CRASH_ROUNDS'] ?? 12) : 1;

let house: CrashHouse;
beforeAll(async () => {
  house = await CrashHouse.open();
});
afterAll(() => house.close());

describe('a gateway killed at', () => {
  it.each(POINTS)('%s loses nothing it accepted and submits nothing twice', async (point) => {
    for (let round = 0; round < ROUNDS; round++) await crashOnce(point, round);
  });
});

async function crashOnce(point: string, round: number): Promise<void> {
  const text = `crash at ${point}, round ${round}, ${Date.now()}`;
  const key = `key ${text}`;
  const doomed = await house.attach(point);
  const body = { kind: 'submit_prompt', payload: { prompt: text }, idempotency_key: key } as const;
  const accepted = await client(doomed.port)
    .createRequest(body)
    .then(
      (answer) => answer.request_id,
      () => undefined,
    );
  await doomed.died;
  const living = await house.attach();
  const gateway = client(living.port);
  // Whoever got no answer asks again with the same key; that must not make a second prompt.
  const id = accepted ?? (await gateway.createRequest(body)).request_id;
  const view = await gateway.getRequest(id, true, { timeoutMs: 60_000 });
  const received = house.received(text);
  await house.detach();
  const told = `${point}: ${view.outcome} (${view.error_detail ?? 'no detail'}), received ${received}`;
  expect(received, told).toBeLessThanOrEqual(1);
  if (view.outcome === 'submitted') expect(received, told).toBe(1);
  else expect(['failed', 'unconfirmed'], told).toContain(view.outcome);
  fs.appendFileSync(house.report, `${point}\t${view.outcome}\t${received}\n`);
}

function client(port: number): GatewayClient {
  return new GatewayClient({ host: '127.0.0.1', port, timeoutMs: 15_000 });
}
