import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

/** How far a message is, each stage as it was stored by the one who did it. */
let world: TestWorld;

beforeAll(async () => {
  world = new TestWorld();
  world.mode = 'hosted';
  await world.agent('ana', ['--turn', '50ms']);
  await world.agent('ben', ['--turn', '50ms']);
});
afterAll(async () => {
  await world.rouse(['host', 'stop']);
  expect(await world.close()).toEqual([]);
});

const send = (to: string, text: string, ...more: string[]) =>
  world.rouse(['--print-json', 'send', to, text, ...more]);
const receiptOf = async (ref: string) => (await world.json('receipts', ref)).receipts[0];

it('a message that no wake announced is stored, and a wait for more ends with the timeout and keeps it', async () => {
  const { code, json } = await send('ben', 'hello', '--wait', 'read', '--timeout', '1s');
  expect([code, json['reached'], json['receipts'][0]]).toMatchObject([
    5,
    false,
    { agent: 'ben', stage: 'stored' },
  ]);
});

it('a message is announced once its wake was submitted, which does not make it read', async () => {
  await world.json(
    'agents',
    'gateway',
    'mail-notifier',
    'enable',
    '--agent-name',
    'ana',
    '--interval-seconds',
    '1',
  );
  const { code, json } = await send('ana', 'please look', '--wait', 'announced', '--timeout', '100s');
  expect([code, json['reached']]).toEqual([0, true]);
  expect(json['receipts'][0]).toMatchObject({
    agent: 'ana',
    stage: 'announced',
    read: false,
    answered: false,
  });
});

it('a message is read by its reader alone, and answered by a reply', async () => {
  const { json } = await send('ben', 'a question');
  const ref = String(json['message'].message_ref);
  await world.json('agents', 'mail', 'peek', '--agent-name', 'ben', '--message-ref', ref);
  expect(await receiptOf(ref)).toMatchObject({ stage: 'stored', read: false });
  await world.json('agents', 'mail', 'read', '--agent-name', 'ben', '--message-ref', ref);
  expect(await receiptOf(ref)).toMatchObject({ stage: 'read', read: true, answered: false });
  const waited = send('ben', 'another', '--wait', 'answered', '--timeout', '100s');
  const mails = async () => (await world.json('agents', 'mail', 'list', '--agent-name', 'ben')).messages;
  const { message_ref } = await world.until(async () =>
    (await mails()).find(({ subject }: { subject: string }) => subject === 'another'),
  );
  await world.json(
    'agents',
    'mail',
    'reply',
    '--agent-name',
    'ben',
    '--message-ref',
    message_ref,
    '--body',
    'yes',
  );
  expect(await waited).toMatchObject({ code: 0, json: { reached: true, receipts: [{ stage: 'answered' }] } });
});

it('receipts of an unknown message, and a timeout without a wait, are refused', async () => {
  expect((await world.rouse(['receipts', 'filesystem:msg-none'])).code).toBe(3);
  expect((await send('ben', 'x', '--timeout', '1s')).code).toBe(2);
});
