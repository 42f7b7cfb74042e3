import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Ending, identifyProcess } from '../base/index.ts';
import type { GlanceFile } from '../wire/index.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const fileOf = ({ root }: TestGateway): string => path.join(root, 'gateway', 'glance.json');
const read = (gateway: TestGateway): GlanceFile => JSON.parse(fs.readFileSync(fileOf(gateway), 'utf8'));

const untilGlance = (gateway: TestGateway, expected: object): Promise<void> =>
  vi.waitFor(() => expect(read(gateway)).toMatchObject(expected), { timeout: 5000, interval: 10 });

describe('glance.json', () => {
  it('glance.json has the standing of the agent, since when, and the process that wrote it', async () => {
    const gateway = await testGateway(ending);
    await untilGlance(gateway, { standing: { state: 'idle' }, written_by: identifyProcess(process.pid) });
    const { since_utc } = read(gateway);
    gateway.surface.show({ ready: false, reasons: ["dialog='permission'"] });
    await untilGlance(gateway, { standing: { state: 'needs_you', words: 'permission dialog' } });
    expect(Date.parse(read(gateway).since_utc)).toBeGreaterThan(Date.parse(since_utc));
    expect(fs.statSync(fileOf(gateway)).mode & 0o777).toBe(0o600);
  });

  it('glance.json has the open mail, what holds back a wake, and the number of proven wakes', async () => {
    const gateway = await testGateway(ending);
    await untilGlance(gateway, { open_mail: null, wakes: { on: false, count: 0 } });
    gateway.surface.show({ ready: false, reasons: ["editing_input='yes'"] });
    await gateway.call('PUT', '/v1/mail-notifier', { interval_seconds: 60 });
    await gateway.mail.mailbox('peer@test').send({ to: ['agent@test'], subject: 's', body_content: 'b' });
    await untilGlance(gateway, {
      open_mail: 1,
      wakes: { on: true, count: 0, held_back: expect.stringContaining("editing_input='yes'") },
    });
    gateway.surface.show({ ready: true, reasons: [] });
    await untilGlance(gateway, { open_mail: 1, wakes: { count: 1, held_back: null } });
    const again = await gateway.restart();
    await untilGlance(again, { wakes: { on: true, count: 1 } });
  });

  it('glance.json has a change of wakes or standing before the change is confirmed', async () => {
    const gateway = await testGateway(ending);
    await untilGlance(gateway, { standing: { state: 'idle' } });
    await gateway.call('PUT', '/v1/mail-notifier', { interval_seconds: 60 });
    expect(read(gateway)).toMatchObject({ wakes: { on: true } });
    gateway.surface.show({ ready: false, reasons: ["process='gone'"] });
    expect(read(gateway)).toMatchObject({ standing: { state: 'gone' } });
    gateway.surface.show({ ready: true, reasons: [] });
    expect(read(gateway)).toMatchObject({ standing: { state: 'idle' } });
  });

  it('glance.json says why a person is needed, without an open page', async () => {
    const gateway = await testGateway(ending);
    gateway.surface.show({ ready: false, reasons: ["dialog='permission'"] });
    await untilGlance(gateway, {
      standing: {
        words: 'permission dialog',
        needs_you: 'it asks for permission; answer in its window',
        need: { kind: 'dialog', here: 'it asks for permission', says: 'asks for permission' },
      },
    });
    gateway.surface.show({ ready: false, reasons: ["usage_limit='3pm'"] });
    await untilGlance(gateway, { standing: { needs_you: null, need: { kind: 'usage_limit' } } });
    gateway.surface.show({ ready: true, reasons: [] });
    await untilGlance(gateway, { standing: { state: 'idle' } });
    expect(read(gateway).standing.need).toBeUndefined();
  });

  it('glance.json lists failed deliveries of the last day, also after a restart of the gateway', async () => {
    const gateway = await testGateway(ending);
    gateway.surface.outcomes = ['failed', 'unconfirmed', 'submitted'];
    for (const prompt of ['one', 'two', 'three'])
      await gateway.call('POST', '/v1/requests', {
        schema_version: 1,
        kind: 'submit_prompt',
        payload: { prompt },
      });
    const undelivered = [
      { kind: 'uncertain', words: 'two', request: { detail: 'the test requested unconfirmed' } },
      { kind: 'failed', words: 'one', request: { detail: 'the test requested failed' } },
    ];
    await untilGlance(gateway, { undelivered });
    expect(read(gateway).undelivered).toHaveLength(2);
    const again = await gateway.restart();
    await untilGlance(again, { written_by: identifyProcess(process.pid), undelivered });
    await again.gateway.stop('done');
    expect(read(again)).toMatchObject({ written_by: null, undelivered });
  });

  it('glance.json is not written while nothing changes, and names no writer once the gateway has ended', async () => {
    const gateway = await testGateway(ending);
    await untilGlance(gateway, { standing: { state: 'idle' } });
    const { ino } = fs.statSync(fileOf(gateway));
    gateway.surface.show({});
    expect((await gateway.call('GET', '/v1/status')).status).toBe(200);
    expect(fs.statSync(fileOf(gateway)).ino).toBe(ino);
    await gateway.gateway.stop('done');
    expect(read(gateway)).toMatchObject({ written_by: null, standing: { state: 'unknown' } });
  });
});
