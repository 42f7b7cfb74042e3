import { afterEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock } from '../base/index.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const HOUR_MS = 3_600_000;
const STEPS = process.env['ROUSE_PROOF'] === 'full' ? [1, -1, 48, -48] : [1, -48];

interface Started extends TestGateway {
  clock: FakeClock;
}

async function start(settings?: object): Promise<Started> {
  const clock = new FakeClock('2026-01-01T12:00:00.000Z');
  const on = await testGateway(ending, { config: { clock } });
  if (settings) await on.call('PUT', '/v1/mail-notifier', settings);
  return { ...on, clock };
}

const sendMail = (on: TestGateway, subject: string) =>
  on.mail.mailbox('peer@test').send({ to: ['agent@test'], subject, body_content: 'do it' });
const wakes = (on: TestGateway): number => on.surface.submitted.length;
const held = async (on: TestGateway) => (await on.call('GET', '/v1/mail-notifier')).body.held_back;

/** Lets time pass, ten seconds at a time, until this many wakes. Returns how many milliseconds that took. */
async function timeUntil(on: Started, count: number, watched: TestGateway = on): Promise<number> {
  const from = on.clock.monotonic();
  const passing = async (): Promise<number> => {
    if (wakes(watched) < count) await on.clock.advance(10_000);
    return wakes(watched);
  };
  await expect.poll(passing, { interval: 1, timeout: 30_000 }).toBe(count);
  return on.clock.monotonic() - from;
}

/** The gateway writes to a real disk while time passes on the fake clock, so a wake may be seen late, but not early. */
function expectBetween(value: number, least: number, most: number): void {
  expect([value >= least, value <= most, value]).toEqual([true, true, value]);
}

describe.each(STEPS)('when the clock is set by %i hours', (hours) => {
  it('backoff repeats a wake after the same pause although the clock was set', async () => {
    const on = await start({ interval_seconds: 600, repeat: 'backoff' });
    await sendMail(on, 'one');
    await expect.poll(() => wakes(on)).toBe(1);
    on.clock.jumpWall(hours * HOUR_MS);
    const second = await timeUntil(on, 2);
    expectBetween(second, 600_000, 1_200_000);
    expectBetween(second + (await timeUntil(on, 3)), 1_800_000, 3_600_000);
  });

  it('the hourly budget counts the wakes of the last real hour although the clock was set', async () => {
    const on = await start({ interval_seconds: 600, repeat: 'on_change', wakes_per_hour: 2 });
    for (const n of [1, 2]) {
      await sendMail(on, `mail ${n}`);
      await expect.poll(() => wakes(on)).toBe(n);
    }
    on.clock.jumpWall(hours * HOUR_MS);
    await sendMail(on, 'three');
    await expect.poll(() => held(on)).toBe('wake_budget 2 of 2 used');
    expectBetween(await timeUntil(on, 3), HOUR_MS, HOUR_MS + 900_000);
  });
});

describe('quiet hours', () => {
  const NOON = { from: '11:30', to: '12:30', time_zone: 'UTC' };

  it.each([
    [1, 60_000],
    [-1, 60_000],
    [49, 60_000],
    [-47, 60_000],
    [48, HOUR_MS / 2 + 60_000],
    [-48, HOUR_MS / 2 + 60_000],
  ])('are those of the new time when the clock is set by %i hours', async (hours, most) => {
    const on = await start({ interval_seconds: 36_000, quiet_hours: NOON });
    await sendMail(on, 'one');
    await expect.poll(() => held(on)).toMatch(/^quiet_hours until 2026-01-01T12:30/);
    on.clock.jumpWall(hours * HOUR_MS);
    expectBetween(await timeUntil(on, 1), 0, most + 300_000);
  });
});

it('wakes that a clock stamped before it was set back hold no new mail after a restart', async () => {
  const on = await start({ interval_seconds: 600, repeat: 'backoff', wakes_per_hour: 1 });
  await sendMail(on, 'one');
  await expect.poll(() => wakes(on)).toBe(1);
  await on.gateway.stop('down');
  on.clock.jumpWall(-48 * HOUR_MS);
  const next = await testGateway(ending, { root: on.root, mail: on.mail, config: { clock: on.clock } });
  await sendMail(on, 'two');
  await expect.poll(() => wakes(next)).toBe(1);
  expectBetween(await timeUntil(on, 2, next), 600_000, HOUR_MS + 600_000);
});

describe('a request that is not to start after a time', () => {
  const stateOf = async (on: TestGateway) => (await on.call('GET', '/v1/requests')).body.requests[0]?.state;

  it.each([
    [3, 60_000],
    [-48, 49 * HOUR_MS],
  ])('ends at that time of the clock, also when it was set by %i hours', async (hours, most) => {
    const on = await start();
    on.surface.show({ ready: false, reasons: ['busy'] });
    const expires_at = new Date(on.clock.now().getTime() + HOUR_MS).toISOString();
    const body = { schema_version: 1, kind: 'submit_prompt', payload: { prompt: 'p' }, expires_at };
    expect((await on.call('POST', '/v1/requests', body)).status).toBe(200);
    on.clock.jumpWall(hours * HOUR_MS);
    await on.clock.advance(most - 60_000);
    expect(await stateOf(on)).toBe('accepted');
    await on.clock.advance(60_000);
    await expect.poll(() => stateOf(on)).toBe('failed');
  });
});
