import { afterEach, describe, expect, it } from 'vitest';
import { Ending, sleep, systemClock } from '../base/index.ts';
import type { FakeSurface } from '../terminal/index.ts';
import { gatewayStatus } from '../wire/index.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const TURN_MS = 100;

/** An agent that works for a while on every prompt. */
function takesTurns(surface: FakeSurface, turnMs = TURN_MS, typingMs = 0): void {
  const deliver = surface.deliver.bind(surface);
  surface.deliver = async (prompt) => {
    if (typingMs > 0) await sleep(systemClock, typingMs);
    const result = await deliver(prompt);
    if (result.outcome !== 'submitted') return result;
    surface.show({ ready: false, reasons: ["phase='active'"] });
    ending.add(systemClock.after(turnMs, () => surface.show({ ready: true, reasons: [] })));
    return result;
  };
}

const start = () => testGateway(ending, { prepare: (surface) => takesTurns(surface) });
const sendMail = (on: TestGateway, subject: string) =>
  on.mail.mailbox('peer@test').send({ to: ['agent@test'], subject, body_content: 'do it' });
const remind = (on: TestGateway, interval_seconds = 0.01) =>
  on.call('POST', '/v1/reminders', {
    reminders: [
      {
        mode: 'repeat',
        title: 'again',
        prompt: 'reminder',
        ranking: 0,
        start_after_seconds: 0.01,
        interval_seconds,
      },
    ],
  });
const isWake = (text: string): boolean => text.startsWith('wake');
const reminders = (on: TestGateway): number => on.surface.submitted.filter((t) => t === 'reminder').length;
const wakes = (on: TestGateway): number => on.surface.submitted.filter(isWake).length;

describe('a reminder that is due again before each turn ends', () => {
  it('a reminder that is always due delays new mail and prompts by a few turns only', async () => {
    const on = await start();
    await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
    await remind(on);
    await expect.poll(() => reminders(on)).toBe(2);
    await sendMail(on, 'one');
    await on.call('POST', '/v1/requests', {
      schema_version: 1,
      kind: 'submit_prompt',
      payload: { prompt: 'asked' },
    });
    const before = reminders(on);
    await expect.poll(() => [on.surface.submitted.includes('asked'), wakes(on)]).toEqual([true, 1]);
    expect(reminders(on) - before).toBeLessThanOrEqual(3);
    const { body } = await on.call('GET', '/v1/status');
    expect(gatewayStatus.parse(body).last_turn?.source).toMatch(/reminder|mail_notifier|queue/);
  });

  it('a reminder that is always due does not prevent repeated wakes for announced mail', async () => {
    const on = await start();
    await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 1, repeat: 'every_poll' });
    await sendMail(on, 'one');
    await expect.poll(() => wakes(on)).toBe(1);
    await remind(on);
    await expect.poll(() => wakes(on), { timeout: 10_000 }).toBeGreaterThanOrEqual(3);
  });

  it('a reminder that becomes due during each turn does not prevent repeated wakes', async () => {
    const on = await testGateway(ending, { prepare: (surface) => takesTurns(surface, 800, 100) });
    await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 1, repeat: 'every_poll' });
    await sendMail(on, 'one');
    await expect.poll(() => wakes(on)).toBe(1);
    await remind(on, 0.6);
    await expect.poll(() => reminders(on), { timeout: 10_000 }).toBe(1);
    const before = wakes(on);
    await expect.poll(() => reminders(on), { timeout: 20_000 }).toBe(4);
    expect(wakes(on) - before).toBeGreaterThanOrEqual(2);
  });

  it('mail that is new after every turn does not prevent reminders', async () => {
    const on = await start();
    await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 1, repeat: 'every_poll' });
    let sent = 0;
    ending.add(
      on.surface.changed.on(({ ready }) => {
        if (!ready) void sendMail(on, `mail ${sent++}`);
      }),
    );
    await sendMail(on, 'first');
    await expect.poll(() => wakes(on)).toBe(2);
    await remind(on);
    await expect.poll(() => [reminders(on) >= 3, wakes(on) >= 5], { timeout: 10_000 }).toEqual([true, true]);
    const order = on.surface.submitted.map((text) => (isWake(text) ? 'm' : 'r')).join('');
    expect(order).not.toMatch(/rrr|mmmm/);
  });

  it('a reminder goes on after mail could not use the turn it got', async () => {
    const on = await start();
    await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
    await remind(on);
    await expect.poll(() => reminders(on)).toBe(2);
    on.surface.show({ ready: false, reasons: ['draft'] });
    await sendMail(on, 'one');
    await expect
      .poll(async () => (await on.call('GET', '/v1/mail-notifier')).body.held_back)
      .toContain('draft');
    for (const message of (await on.mail.mailbox('agent@test').list({})).messages)
      await on.mail.mailbox('agent@test').archive([message.message_ref]);
    const before = reminders(on);
    on.surface.show({ ready: true, reasons: [] });
    await expect.poll(() => reminders(on)).toBeGreaterThan(before + 1);
    expect(wakes(on)).toBe(0);
  });
});

describe('keys that a reminder means for a busy agent', () => {
  it('keys of a reminder for a busy agent do not wait for mail that waits for the agent', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['dialog'] }),
    });
    await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
    await sendMail(on, 'one');
    await expect
      .poll(async () => (await on.call('GET', '/v1/mail-notifier')).body.held_back)
      .toContain('dialog');
    await on.call('POST', '/v1/reminders', {
      reminders: [
        {
          mode: 'repeat',
          title: 'dismiss',
          send_keys: { sequence: '<[Escape]>', ensure_enter: false },
          ranking: 0,
          start_after_seconds: 0.01,
          interval_seconds: 0.01,
        },
      ],
    });
    await expect.poll(() => on.surface.keys.length).toBeGreaterThan(3);
  });
});
