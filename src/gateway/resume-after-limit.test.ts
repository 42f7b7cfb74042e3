import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock } from '../base/index.ts';
import type { ParkView } from '../terminal/index.ts';
import { RESUME_PROMPT } from './resume-after-limit.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
let clock = new FakeClock('2026-11-15T14:00:00.000Z');
beforeEach(() => {
  ending = new Ending();
  clock = new FakeClock('2026-11-15T14:00:00.000Z');
});
afterEach(() => ending.run());

const LIMIT: ParkView = {
  id: '0199',
  untilUtc: '2026-11-15T15:00:00.000Z',
  slotUtc: '2026-11-15T15:00:15.000Z',
  over: false,
  cut: true,
  stays: false,
};
const limited = (gateway: TestGateway, change: Partial<ParkView> = {}): void =>
  gateway.surface.show({
    ready: false,
    reasons: ["usage_limit='until 2026-11-15T15:00:15Z'"],
    limit: { ...LIMIT, ...change },
  });
const over = (gateway: TestGateway, change: Partial<ParkView> = {}): void =>
  gateway.surface.show({ ready: true, reasons: [], limit: { ...LIMIT, over: true, ...change } });

const parked = async (park: string | undefined): Promise<TestGateway> => {
  const gateway = await testGateway(ending, { config: { clock } });
  await gateway.call('PUT', '/v1/mail-notifier', { interval_seconds: 60, repeat: 'on_change', park });
  limited(gateway);
  await clock.advance(3600_000);
  return gateway;
};
/** Work on disk takes real time, in which this clock does not move by itself. */
const submitted = (gateway: TestGateway) =>
  expect.poll(async () => {
    await clock.advance(500);
    return gateway.surface.submitted;
  });
const send = (gateway: TestGateway): Promise<unknown> =>
  gateway.mail.mailbox('peer@test').send({ to: ['agent@test'], subject: 's', body_content: 'b' });

describe('after a usage limit', () => {
  it('an agent whose turn was cut is asked once to continue, if that was wanted', async () => {
    const gateway = await parked('resume');
    over(gateway);
    await clock.advance(29_000);
    expect(gateway.surface.submitted).toEqual([]);
    await submitted(gateway).toEqual([RESUME_PROMPT]);
    over(gateway);
    await clock.advance(600_000);
    const again = await gateway.restart((surface) => surface.show({ limit: { ...LIMIT, over: true } }));
    await clock.advance(600_000);
    expect(again.surface.submitted).toEqual([]);
  });

  it.each(['hold', 'off', undefined])(
    'with the policy %s nothing is typed beside what waits',
    async (park) => {
      const gateway = await parked(park);
      over(gateway);
      await clock.advance(600_000);
      expect(gateway.surface.submitted).toEqual([]);
    },
  );

  it('a tool that continues by itself is not asked to, and neither is one whose turn was not cut', async () => {
    const gateway = await parked('resume');
    over(gateway);
    await clock.advance(10_000);
    gateway.surface.show({ ready: false, reasons: ["phase='active'"], limit: undefined });
    await clock.advance(600_000);
    over(gateway, { id: '0200', cut: false });
    await clock.advance(600_000);
    expect(gateway.surface.submitted).toEqual([]);
  });

  it('mail that waited goes instead of the request to continue, and so does a queued prompt', async () => {
    const gateway = await parked('resume');
    await send(gateway);
    await gateway.call('POST', '/v1/requests', {
      schema_version: 1,
      kind: 'submit_prompt',
      payload: { prompt: 'a person' },
    });
    await clock.advance(1000);
    expect(gateway.surface.submitted).toEqual([]);
    over(gateway);
    await submitted(gateway).toEqual(['a person', expect.stringMatching(/^wake/)]);
    await clock.advance(600_000);
    expect(gateway.surface.submitted).not.toContain(RESUME_PROMPT);
  });

  it('the mail of a wake that a limit cut wakes again after it, also if mail is announced only once', async () => {
    const gateway = await testGateway(ending, { config: { clock } });
    await gateway.call('PUT', '/v1/mail-notifier', { interval_seconds: 60, repeat: 'on_change' });
    await send(gateway);
    await submitted(gateway).toHaveLength(1);
    await clock.advance(600_000);
    expect(gateway.surface.submitted).toHaveLength(1);
    limited(gateway);
    await clock.advance(3600_000);
    expect(gateway.surface.submitted).toHaveLength(1);
    over(gateway);
    await submitted(gateway).toHaveLength(2);
    gateway.surface.show({ limit: undefined });
    await clock.advance(3600_000);
    expect(gateway.surface.submitted).toHaveLength(2);
  });
});
