import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** Scripts and agents wait for agents: a real agent, a real mailbox, and a host that is killed. */
let world: TestWorld;
let ana: WorldAgent;

beforeAll(async () => {
  world = new TestWorld();
  world.env['ROUSE_GATEWAY_RESTART_SECONDS'] = '0.05';
  world.mode = 'hosted';
  ana = await world.agent('ana', ['--turn', '300ms']);
  await world.agent('ben');
});
afterAll(async () => {
  await world.rouse(['host', 'stop']);
  expect(await world.close()).toEqual([]);
});

const wait = (until: string, ...more: string[]) =>
  world.rouse(['--print-json', 'wait', 'ana', '--until', until, ...more]);
const hosts = () =>
  world.processes().filter(({ words }) => words.includes('--rouse-home') && !words.includes('/bin/sh'));

it('a wait ends at once when it is so already, after the timeout when it is not, and by an event when it becomes so', async () => {
  await world.until(async () => (await ana.client.call('status', {})).standing?.state === 'idle');
  expect(await wait('idle')).toMatchObject({ code: 0, json: { came_true: true, state: 'idle' } });
  expect(await wait('turn-ended')).toMatchObject({ code: 0 });
  expect(await wait('needs-you', '--timeout', '1s')).toMatchObject({ code: 5, json: { came_true: false } });
  const needed = wait('needs-you', '--timeout', '60s');
  await ana.control.send('open-dialog', { kind: 'permission' });
  expect(await needed).toMatchObject({ code: 0, json: { came_true: true } });
  await ana.control.send('close-dialog');
  expect((await world.rouse(['wait', 'dan'])).code).toBe(3);
});

it('mail is sent once when an agent comes to what was waited for, also if the host is killed before', async () => {
  await ana.control.send('open-dialog', { kind: 'permission' });
  expect(await wait('needs-you', '--timeout', '60s')).toMatchObject({ code: 0 });
  await world.json('notify-when', 'ana', 'idle', '--to', 'ben');
  await world.json('notify-when', 'ana', 'idle');
  const before = hosts()[0]!.pid;
  process.kill(before, 'SIGKILL');
  await ana.control.send('close-dialog');
  await world.until(() => hosts().some(({ pid }) => pid !== before));
  const mailOf = async () => (await world.json('agents', 'mail', 'list', '--agent-name', 'ben')).messages;
  await world.until(async () => (await mailOf()).length > 0);
  await world.until(async () => (await world.json('notify-when', '--list')).waits.length === 0);
  expect((await mailOf()).map(({ subject }: { subject: string }) => subject)).toEqual(['ana is idle']);
});

it('a wait that is removed sends nothing, and one for a name that is none is refused', async () => {
  const { id } = await world.json('notify-when', 'ana', 'gone');
  await world.json('notify-when', '--remove', String(id));
  expect((await world.json('notify-when', '--list')).waits).toEqual([]);
  expect((await world.rouse(['notify-when', 'dan', 'idle'])).code).toBe(3);
  expect((await world.rouse(['notify-when', 'ana', 'sleepy'])).code).toBe(2);
  expect((await world.rouse(['notify-when'])).code).toBe(2);
});
