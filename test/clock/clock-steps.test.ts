import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RouseError } from '../../src/base/index.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** The clock is set under a live gateway: real process, real tmux, a scripted agent. */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const HOUR_S = 3600;
const STEPS = FULL ? [1, -1, 48, -48, -48, 48, -1, 1].map((hours) => hours * HOUR_S) : [-48 * HOUR_S, HOUR_S];
const WAIT = { timeout: 60_000, interval: 50 };
const TICK_S = 1;

const world = new TestWorld();
const shift = path.join(world.directory, 'clock-shift');
let agent: WorldAgent;
let set = 0;

beforeAll(async () => {
  setClock(0);
  world.clockShiftFile = shift;
  agent = await world.agent('ana', ['--turn', '50ms']);
});
afterAll(async () => {
  const steps = STEPS.map((step) => `${step > 0 ? '+' : ''}${step / HOUR_S} h`).join(', ');
  proofReport(
    `clock set by ${steps}: after a step ${inWords(went)}`,
    `${held} of ${expected} promises held: no wake lost, none in a burst`,
  );
  await world.close();
});

/** What was typed after a step, while its cadence was counted. */
const went = { ticks: 0, wakes: 0 };
let held = 0;
const expected = STEPS.length * 2 + STEPS.filter((step) => FULL || step < 0).length;

function setClock(bySeconds: number): void {
  set += bySeconds * 1000;
  // Renamed into place, because the gateway may read it at any instant.
  fs.writeFileSync(`${shift}.new`, String(set));
  fs.renameSync(`${shift}.new`, shift);
}

const received = (what: 'tick' | 'wake'): number =>
  agent.received().filter((text) => (text === 'tick') === (what === 'tick')).length;
const gatewayNow = (): number => Date.now() + set;
const note = (subject: string) =>
  agent.client.call('mail.post', { body: { subject, body_content: 'do it' } });

async function forget(): Promise<void> {
  // A reminder that was just delivered is removed by the gateway, perhaps between the list and its deletion.
  for (const { reminder_id } of (await agent.client.reminders()).reminders)
    await agent.client.call('reminders.delete', { reminder_id: reminder_id }).catch((error: RouseError) => {
      if (error.code !== 'not_found') throw error;
    });
  await agent.client.call('notifier.disable', {});
  const { messages } = await agent.client.call('mail.list', { body: { box: 'inbox', limit: 100 } });
  if (messages.length > 0)
    await agent.client.call('mail.archive', {
      body: { message_refs: messages.map((each) => each.message_ref) },
    });
}

const REPEAT = { mode: 'repeat', title: 'tick', prompt: 'tick', ranking: 0 } as const;

/** What was typed since then is repeated after the step, and not more often than its cadence allows. */
async function expectCadence(what: 'tick' | 'wake', everyS: number, least: number): Promise<void> {
  const before = received(what);
  const since = performance.now();
  await expect.poll(() => received(what) - before, WAIT).toBeGreaterThanOrEqual(least);
  const max = (performance.now() - since) / 1000 / everyS + 2;
  const came = received(what) - before;
  expect(came).toBeLessThanOrEqual(Math.ceil(max));
  went[what === 'tick' ? 'ticks' : 'wakes'] += came;
}

describe.each(STEPS.map((step, n) => [n + 1, step / HOUR_S, step]))(
  'step %i: the clock is set by %i hours under a live gateway, and',
  (_n, _hours, step) => {
    it('reminders by cron and by interval keep their cadence when the clock is set', async () => {
      for (const cadence of [
        { cron: `*/${TICK_S} * * * * *` },
        { start_after_seconds: 0.5, interval_seconds: TICK_S },
      ]) {
        const from = received('tick');
        await agent.client.call('reminders.create', { body: { reminders: [{ ...REPEAT, ...cadence }] } });
        await expect.poll(() => received('tick'), WAIT).toBeGreaterThan(from);
        setClock(step);
        await expectCadence('tick', TICK_S, 3);
        await forget();
      }
      held++;
    });

    it('new mail wakes at once, is announced again by its policy, and the budget holds when the clock is set', async () => {
      await agent.client.call('notifier.enable', {
        body: { interval_seconds: 1, repeat: 'backoff', wakes_per_hour: 200 },
      });
      const from = received('wake');
      await note('before');
      await expect.poll(() => received('wake'), WAIT).toBeGreaterThan(from);
      setClock(step);
      const before = received('wake');
      await note('after');
      await expect.poll(() => received('wake'), WAIT).toBeGreaterThan(before);
      // Pauses of one and two seconds follow a wake.
      await expectCadence('wake', 1, 2);
      const { decisions } = await agent.client.call('notifier.decisions', { limit: 1 });
      const used = Number(decisions[0]!.facts?.['wakes_last_hour']);
      await agent.client.call('notifier.enable', {
        body: { interval_seconds: 1, repeat: 'backoff', wakes_per_hour: used },
      });
      await note('over the budget');
      await expect
        .poll(() => agent.client.notifier().then((status) => status.held_back ?? ''), WAIT)
        .toMatch(/^wake_budget/);
      await forget();
      held++;
    });

    // A step forwards is noticed within a minute, which is too long for every test run.
    it.runIf(FULL || step < 0)('a time that a person named is that of the new clock', async () => {
      const at = new Date(gatewayNow() + (step > 0 ? step : 3) * 1000 - 1000).toISOString();
      const { reminders } = await agent.client.call('reminders.create', {
        body: {
          reminders: [{ mode: 'one_off', title: 'named', prompt: 'tick', ranking: 0, deliver_at_utc: at }],
        },
      });
      const before = received('tick');
      setClock(step);
      if (step > 0) await expect.poll(() => received('tick'), { ...WAIT, timeout: 90_000 }).toBe(before + 1);
      else
        expect(
          await agent.client.call('reminders.get', { reminder_id: reminders[0]!.reminder_id }),
        ).toMatchObject({ next_due_at_utc: at });
      await forget();
      held++;
    });
  },
);
