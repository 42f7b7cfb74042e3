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

const told = (gateway: TestGateway, expected: object): Promise<void> =>
  vi.waitFor(() => expect(read(gateway)).toMatchObject(expected), { timeout: 5000, interval: 10 });

describe('glance.json', () => {
  it('says how it stands with the agent, since when, and which process says so', async () => {
    const gateway = await testGateway(ending);
    await told(gateway, { standing: { state: 'idle' }, written_by: identifyProcess(process.pid) });
    const { since_utc } = read(gateway);
    gateway.surface.show({ ready: false, reasons: ["dialog='permission'"] });
    await told(gateway, { standing: { state: 'needs_you', words: 'permission dialog' } });
    expect(Date.parse(read(gateway).since_utc)).toBeGreaterThan(Date.parse(since_utc));
    expect(fs.statSync(fileOf(gateway)).mode & 0o777).toBe(0o600);
  });

  it('tells of open mail, of what holds back a wake, and counts wakes that were proven', async () => {
    const gateway = await testGateway(ending);
    await told(gateway, { open_mail: null, wakes: { on: false, count: 0 } });
    gateway.surface.show({ ready: false, reasons: ["editing_input='yes'"] });
    await gateway.call('PUT', '/v1/mail-notifier', { interval_seconds: 60 });
    await gateway.mail.mailbox('peer@test').send({ to: ['agent@test'], subject: 's', body_content: 'b' });
    await told(gateway, {
      open_mail: 1,
      wakes: { on: true, count: 0, held_back: expect.stringContaining("editing_input='yes'") },
    });
    gateway.surface.show({ ready: true, reasons: [] });
    await told(gateway, { open_mail: 1, wakes: { count: 1, held_back: null } });
    const again = await gateway.restart();
    await told(again, { wakes: { on: true, count: 1 } });
  });

  it('has said what was just switched on, or seen, before anybody can ask', async () => {
    const gateway = await testGateway(ending);
    await told(gateway, { standing: { state: 'idle' } });
    await gateway.call('PUT', '/v1/mail-notifier', { interval_seconds: 60 });
    expect(read(gateway)).toMatchObject({ wakes: { on: true } });
    gateway.surface.show({ ready: false, reasons: ["process='gone'"] });
    expect(read(gateway)).toMatchObject({ standing: { state: 'gone' } });
    gateway.surface.show({ ready: true, reasons: [] });
    expect(read(gateway)).toMatchObject({ standing: { state: 'idle' } });
  });

  it('is not written while nothing changes, and is nobody’s word once the gateway has ended', async () => {
    const gateway = await testGateway(ending);
    await told(gateway, { standing: { state: 'idle' } });
    const { ino } = fs.statSync(fileOf(gateway));
    gateway.surface.show({});
    expect((await gateway.call('GET', '/v1/status')).status).toBe(200);
    expect(fs.statSync(fileOf(gateway)).ino).toBe(ino);
    await gateway.gateway.stop('done');
    expect(read(gateway)).toMatchObject({ written_by: null, standing: { state: 'unknown' } });
  });
});
