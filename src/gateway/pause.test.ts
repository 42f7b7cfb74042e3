import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock } from '../base/index.ts';
import { pauseStatus } from '../wire/index.ts';
import { SessionPause } from './pause/index.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const HOUR_MS = 3_600_000;
const enable = (on: TestGateway) => on.call('PUT', '/v1/mail-notifier', { interval_seconds: 600 });
const pause = (on: TestGateway, body: object = {}) => on.call('PUT', '/v1/pause', body);
const resume = (on: TestGateway) => on.call('DELETE', '/v1/pause');
const decisions = async (on: TestGateway) =>
  (await on.call('GET', '/v1/mail-notifier/decisions')).body.decisions;
const sendMail = (on: TestGateway, subject = 'hello') =>
  on.mail.mailbox('peer@test').send({ to: ['agent@test'], subject, body_content: 'do it' });
const status = async (on: TestGateway) => (await on.call('GET', '/v1/status')).body;
const pauseFile = (on: TestGateway) => path.join(on.root, 'gateway', 'pause.json');

describe('a paused agent', () => {
  it('mail wakes no paused agent: the cycle is busy_skip with the pause as its detail, and every setting stays', async () => {
    const on = await testGateway(ending);
    await enable(on);
    expect(pauseStatus.parse((await pause(on)).body).paused).toMatchObject({ until_utc: null });
    await sendMail(on);
    await expect.poll(async () => (await decisions(on))[0]?.outcome).toBe('busy_skip');
    expect((await decisions(on))[0]).toMatchObject({ detail: 'paused until it is resumed' });
    expect(on.surface.submitted).toEqual([]);
    expect((await on.call('GET', '/v1/mail-notifier')).body).toMatchObject({
      enabled: true,
      held_back: 'paused until it is resumed',
    });
    expect(await status(on)).toMatchObject({
      request_admission: 'open',
      standing: { state: 'idle', paused: { until_utc: null } },
    });
    await resume(on);
    await expect.poll(() => on.surface.submitted.length).toBe(1);
    expect(await status(on)).not.toHaveProperty('standing.paused');
  });

  it('a pause ends by itself at its time, and a clock set back does not bring it back', async () => {
    const clock = new FakeClock();
    const on = await testGateway(ending, { config: { clock } });
    await enable(on);
    const until_utc = new Date(clock.now().getTime() + HOUR_MS).toISOString();
    await pause(on, { until_utc });
    await sendMail(on);
    await expect.poll(async () => (await decisions(on))[0]?.detail).toBe(`paused until ${until_utc}`);
    await clock.advance(HOUR_MS - 1000);
    expect(on.surface.submitted).toEqual([]);
    await clock.advance(2000);
    await expect.poll(() => on.surface.submitted.length).toBe(1);
    await expect.poll(() => fs.existsSync(pauseFile(on))).toBe(false);
  });

  it('a pause survives a restart of the gateway, and a file that cannot be read keeps the agent paused', async () => {
    const on = await testGateway(ending);
    await enable(on);
    await pause(on);
    const second = await on.restart();
    await sendMail(second);
    await expect.poll(async () => (await decisions(second))[0]?.outcome).toBe('busy_skip');
    expect(second.surface.submitted).toEqual([]);
    fs.writeFileSync(pauseFile(on), '{"until_utc": 7, trunc');
    const third = await second.restart();
    expect((await status(third)).standing.paused).toMatchObject({ until_utc: null });
    expect(third.surface.submitted).toEqual([]);
    await resume(third);
    await expect.poll(() => third.surface.submitted.length).toBe(1);
  });

  it("a person's own prompts go, also before requests that the pause holds", async () => {
    const on = await testGateway(ending);
    await enable(on);
    on.surface.show({ ready: true });
    // Queued before the pause, and held by it.
    on.surface.onDeliver = async () => {
      on.surface.onDeliver = undefined;
      await pause(on);
    };
    await sendMail(on);
    const held = async () =>
      (await on.call('GET', '/v1/requests')).body.requests.map(
        (each: { state: string; waiting_reason: string }) => `${each.state}: ${each.waiting_reason}`,
      );
    await expect.poll(held).toEqual(['accepted: paused until it is resumed']);
    expect(on.surface.submitted).toEqual([]);
    expect((await on.call('POST', '/v1/control/prompt', { prompt: 'mine' })).status).toBe(200);
    const body = { kind: 'submit_prompt', payload: { prompt: 'mine too' } };
    expect((await on.call('POST', '/v1/requests', body)).status).toBe(200);
    await expect.poll(() => on.surface.submitted).toEqual(['mine', 'mine too']);
    await resume(on);
    await expect.poll(() => on.surface.submitted.length).toBe(3);
  });

  it('a due reminder of a paused agent waits overdue with its reason, its own pause untouched', async () => {
    const clock = new FakeClock();
    const on = await testGateway(ending, { config: { clock } });
    await pause(on);
    const content = { title: 'look', prompt: 'Look.', ranking: 0, start_after_seconds: 10 };
    const keys = { sequence: '<[Escape]>', ensure_enter: false };
    const reminders = [
      { ...content, mode: 'repeat', interval_seconds: 60 },
      { title: 'keys', send_keys: keys, ranking: 1, start_after_seconds: 10, mode: 'one_off' },
    ];
    await on.call('POST', '/v1/reminders', { reminders });
    await clock.advance(600_000);
    const first = async () => (await on.call('GET', '/v1/reminders')).body.reminders[0];
    await expect.poll(first).toMatchObject({
      delivery_state: 'overdue',
      waiting_reason: 'paused until it is resumed',
      paused: false,
    });
    expect([on.surface.submitted, on.surface.keys]).toEqual([[], []]);
    await resume(on);
    await expect.poll(() => on.surface.submitted).toEqual(['Look.']);
    expect((await first()).delivery_state).toBe('scheduled');
  });

  it('an end that has passed is refused and changes nothing', async () => {
    const on = await testGateway(ending);
    const refused = await pause(on, { until_utc: '2020-01-01T00:00:00Z' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([422, expect.stringContaining('passed')]);
    expect((await on.call('GET', '/v1/pause')).body.paused).toBeNull();
    expect(fs.existsSync(pauseFile(on))).toBe(false);
  });

  it('a pause is reported only when nothing automatic is being typed any more', async () => {
    const on = await testGateway(ending);
    const hold = new SessionPause(path.join(on.root, 'other.json'), new FakeClock());
    let typed: () => void = () => {};
    const typing = hold.unlessHeld(() => new Promise<void>((resolve) => (typed = resolve)));
    let paused = false;
    const pausing = hold.begin(null).then(() => (paused = true));
    await new Promise(setImmediate);
    expect(paused).toBe(false);
    typed();
    await Promise.all([typing, pausing]);
    expect(await hold.unlessHeld(async () => 'typed')).toMatchObject({
      reason: 'paused until it is resumed',
    });
  });
});
