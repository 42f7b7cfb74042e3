import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { OPERATOR } from '../../src/domain/index.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { Receiver } from './support/receiver.ts';

/** The host of a home reaches its person: a real agent asks, the notice comes, and goes when the agent is answered. */
let world: TestWorld;
let ana: WorldAgent;
let receiver: Receiver;

beforeAll(async () => {
  world = new TestWorld();
  world.env['ROUSE_GATEWAY_RESTART_SECONDS'] = '0.05';
  world.mode = 'hosted';
  receiver = await Receiver.start();
  ana = await world.agent('ana');
  const added = await world.json(
    'notify',
    'add',
    'webhook',
    receiver.url,
    '--after',
    '0s',
    '--kind',
    'dialog',
  );
  receiver.secret = added.secret;
  await world.json('notify', 'add', 'status-line', '--after', '0s');
});
afterAll(async () => {
  await world.rouse(['host', 'stop']);
  await receiver.stop();
  expect(await world.close()).toEqual([]);
});

const line = (): string =>
  fs.readFileSync(path.join(world.home, 'runtime/notices/status-line'), 'utf8').trim();
const hosts = () => world.processes().filter(({ words }) => words.includes('--rouse-home'));

it('a dialog of an agent is reported once by each channel, and taken back when it is answered', async () => {
  await ana.control.send('open-dialog', { kind: 'permission' });
  await world.until(() => receiver.opened.length === 1);
  expect(receiver.opened[0]!.data).toMatchObject({
    kind: 'dialog',
    agent: 'ana',
    title: 'ana asks you something',
  });
  expect(receiver.opened[0]!.data.text).toBeUndefined();
  await world.until(() => line() === 'ana asks you something');
  await ana.control.send('close-dialog');
  await world.until(() => receiver.showing.length === 0);
  await world.until(() => line() === '');
  expect([receiver.opened.length, receiver.forged]).toEqual([1, 0]);
  const { notices } = await world.json('why', '--notice');
  expect(notices.map(({ state }: { state: string }) => state)).toEqual(['over', 'over']);
});

it('a need that lasts while the host is killed is reported once, and one that began in between is not lost', async () => {
  const before = receiver.opened.length;
  await ana.control.send('open-dialog', { kind: 'permission' });
  await world.until(() => receiver.opened.length === before + 1);
  const [host] = hosts().filter(({ words }) => !words.includes('/bin/sh'));
  process.kill(host!.pid, 'SIGKILL');
  await world.until(() => hosts().some(({ pid, words }) => pid !== host!.pid && !words.includes('/bin/sh')));
  await ana.control.send('close-dialog');
  await world.until(() => receiver.showing.length === 0);
  expect(receiver.opened.length).toBe(before + 1);
});

it('mail for the person is reported until it is read, without its subject', async () => {
  const added = await world.json('notify', 'add', 'status-line', '--after', '0s', '--kind', 'mail');
  const said = ['--subject', 'a secret', '--body-content', 'text'];
  await world.json('agents', 'mail', 'send', '--agent-name', 'ana', '--to', OPERATOR.address, ...said);
  await world.until(() => line().includes('wrote to you'));
  expect(line()).not.toContain('secret');
  await world.json('inbox');
  await world.json('read', '1');
  await world.until(() => line() === '');
  await world.json('notify', 'remove', String(added.id));
});

it('without a subscription and without a gateway the host ends', async () => {
  const { subscriptions } = await world.json('notify', 'list');
  for (const { id } of subscriptions) await world.json('notify', 'remove', String(id));
  await world.json('agents', 'gateway', 'detach', 'ana');
  await world.until(() => hosts().length === 0);
});
