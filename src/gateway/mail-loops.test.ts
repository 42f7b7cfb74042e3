import { afterEach, describe, expect, it } from 'vitest';
import { MemoryMail } from '../../test/support/memory-mail/memory-mail.ts';
import { Ending } from '../base/index.ts';
import { mailNotifierStatus } from '../wire/index.ts';
import { decideWake, type WakeFacts } from './notifier/index.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const AGENT = 'agent@test';
const PEER = 'peer@test';
const PERSON = 'ann@test';

const status = async (on: TestGateway) =>
  mailNotifierStatus.parse((await on.call('GET', '/v1/mail-notifier')).body);
const decisions = async (on: TestGateway) =>
  (await on.call('GET', '/v1/mail-notifier/decisions')).body.decisions;
const standing = async (on: TestGateway) => (await on.call('GET', '/v1/status')).body.standing;
const resume = (on: TestGateway, thread_ref: unknown) =>
  on.call('POST', '/v1/mail-notifier/resume', { thread_ref });
const wakes = (on: TestGateway): number => on.surface.submitted.length;

async function enabled(): Promise<TestGateway> {
  const mail = new MemoryMail().registerAgent(AGENT).registerAgent(PEER).register(PERSON);
  const on = await testGateway(ending, { mail });
  await on.call('PUT', '/v1/mail-notifier', { interval_seconds: 3600 });
  return on;
}

/** The two agents reply to each other this many times; the person has only a copy of the first message. The last reply is to AGENT. */
async function loop(on: TestGateway, replies: number): Promise<{ ref: string; thread: string }> {
  const [first, second] = replies % 2 === 0 ? [PEER, AGENT] : [AGENT, PEER];
  let { message } = await on.mail
    .mailbox(first!)
    .send({ to: [second!], cc: [PERSON], subject: 'ping', body_content: 'hello' });
  for (let n = 1; n <= replies; n++) {
    const writer = on.mail.mailbox(n % 2 === 1 ? second! : first!);
    const answered = message.message_ref;
    ({ message } = await writer.reply({ message_ref: answered, body_content: 'and you?' }));
    await writer.archive([answered]);
  }
  return { ref: message.message_ref, thread: message.thread_ref! };
}

/** A paused loop; nothing was typed for the last reply. */
async function pausedLoop(
  replies = 20,
): Promise<{ on: TestGateway; ref: string; thread: string; before: number }> {
  const on = await enabled();
  on.surface.show({ ready: false, reasons: ["phase='active'"] });
  const { ref, thread } = await loop(on, replies);
  await expect.poll(async () => (await status(on)).paused_threads?.length).toBe(1);
  on.surface.show({ ready: true, reasons: [] });
  return { on, ref, thread, before: wakes(on) };
}

describe('a thread in which agents only answer each other', () => {
  it('a mail loop wakes as usual until it has 20 replies', async () => {
    const on = await enabled();
    await loop(on, 19);
    await expect.poll(() => wakes(on)).toBeGreaterThan(0);
    expect((await status(on)).paused_threads).toBeUndefined();
    expect((await standing(on)).needs_you).toBeNull();
  });

  it('a mail loop pauses its wakes at 20 replies, reports it once everywhere, and needs a person', async () => {
    const { on, thread, before } = await pausedLoop();
    expect(await status(on)).toMatchObject({
      paused_threads: [{ thread_ref: thread, automatic_replies: 20 }],
      held_back: expect.stringContaining(
        `paused_loop: 20 automatic replies without a person in thread ${thread}`,
      ),
    });
    expect(await standing(on)).toMatchObject({
      state: 'needs_you',
      words: 'mail loop',
      needs_you: expect.stringContaining('20 automatic replies in a thread without a person'),
    });
    on.mail.changed.emit({ address: AGENT });
    await status(on);
    const pausing = (await decisions(on)).filter(({ detail }: { detail: string | null }) =>
      detail?.startsWith('paused_loop'),
    );
    expect(pausing).toHaveLength(1);
    expect(decideWake(pausing[0].facts as WakeFacts)).toMatchObject({
      outcome: pausing[0].outcome,
      chain: pausing[0].chain,
    });
    expect(wakes(on)).toBe(before);
  });

  it('a paused mail loop does not keep other threads from waking', async () => {
    const { on, before } = await pausedLoop();
    await on.mail.mailbox(PEER).send({ to: [AGENT], subject: 'another', body_content: 'x' });
    await expect.poll(() => wakes(on)).toBe(before + 1);
    const [decision] = await decisions(on);
    expect(decision).toMatchObject({ outcome: 'enqueued', unread_count: 1 });
    expect((await status(on)).paused_threads).toHaveLength(1);
  });

  it('a paused mail loop wakes again when a person writes into it, also once that message is handled', async () => {
    const { on, thread, before } = await pausedLoop(21);
    const agent = on.mail.mailbox(AGENT);
    const ann = on.mail.mailbox(PERSON);
    const { message } = await ann.reply({ message_ref: thread, body_content: 'go on, you two' });
    await expect.poll(() => wakes(on)).toBe(before + 1);
    expect((await decisions(on))[0]).toMatchObject({ outcome: 'enqueued', unread_count: 2 });
    await agent.archive([message.message_ref]);
    await expect.poll(async () => (await status(on)).paused_threads).toBeUndefined();
    expect((await standing(on)).needs_you).toBeNull();
    const again = await on.restart();
    await again.mail.mailbox(PEER).send({ to: [AGENT], subject: 'another', body_content: 'x' });
    await expect.poll(async () => (await decisions(again))[0].unread_count).toBe(2);
    expect((await status(again)).paused_threads).toBeUndefined();
  });

  it('a mail loop stays paused over a restart, and a resume outlives a restart too', async () => {
    const { on, thread } = await pausedLoop();
    const again = await on.restart();
    await expect.poll(async () => (await status(again)).paused_threads?.[0]?.thread_ref).toBe(thread);
    expect((await standing(again)).words).toBe('mail loop');
    expect(wakes(again)).toBe(0);
    const { status: code, body } = await resume(again, thread);
    expect([code, body.paused_threads]).toEqual([200, undefined]);
    await expect.poll(() => wakes(again)).toBe(1);
    expect((await standing(again)).needs_you).toBeNull();
    const third = await again.restart();
    await third.mail.mailbox(PEER).send({ to: [AGENT], subject: 'another', body_content: 'x' });
    await expect.poll(async () => (await decisions(third))[0].unread_count).toBe(2);
  });

  it('a paused mail loop is over when its mail was handled', async () => {
    const { on, ref } = await pausedLoop();
    await on.mail.mailbox(AGENT).archive([ref]);
    await expect.poll(async () => (await standing(on)).needs_you).toBeNull();
    expect((await status(on)).held_back).toBeNull();
  });

  it('only a paused thread can be resumed', async () => {
    const { on, thread } = await pausedLoop();
    expect(await resume(on, 'memory:other')).toMatchObject({
      status: 404,
    });
    expect((await resume(on, ' ')).status).toBe(422);
    expect((await status(on)).paused_threads?.[0]?.thread_ref).toBe(thread);
  });
});
