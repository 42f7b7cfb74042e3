import * as fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../base/index.ts';
import { OPERATOR, type WaitEdge } from '../../../domain/index.ts';
import { repairMailStore } from '../index.ts';
import { openMailStore } from '../store.ts';
import { at, TestRoot } from '../world.testing.ts';

let world: TestRoot;
beforeEach(() => {
  world = new TestRoot('ana', 'ben', 'cem');
});
afterEach(() => world.end());

const ask = (from: string, to: string, subject: string, more: object = {}) =>
  world.send(from, to, subject, { expects_answer: true, ...more });
const pairs = (edges: readonly WaitEdge[]): string[] =>
  edges.map(({ waiter, whom }) => `${waiter.split('@')[0]} ${whom.split('@')[0]}`);
const waits = async (): Promise<string[]> => pairs(await world.store.waits.list());
const reports = async (name: string): Promise<string[]> =>
  (await world.subjects(name)).filter((subject) => /^(You wait|Overdue)/.test(subject));
const toPerson = async (): Promise<string[]> => {
  const { messages } = await world.store.mailbox(OPERATOR.address).list();
  return messages.map(({ subject }) => subject);
};
const circle = async () => {
  await ask('ana', 'ben', 'which port?');
  await ask('ben', 'cem', 'which host?');
  return ask('cem', 'ana', 'which name?');
};

describe('who waits for whom', () => {
  it('mail that expects an answer is a wait for everyone it is to, and shows that to its reader', async () => {
    await world.send('ana', 'ben', 'no question');
    await ask('ana', 'ben', 'a question', { cc: [at('cem')], answer_by: '2099-01-01T12:00:00+01:00' });
    expect(await world.store.waits.list()).toMatchObject([
      {
        waiter: at('ana'),
        whom: at('ben'),
        kind: 'mail',
        subject: 'a question',
        by_utc: '2099-01-01T11:00:00Z',
      },
    ]);
    const [question, plain] = (await world.mailbox('ben').list()).messages;
    expect(question).toMatchObject({ expects_answer: true, answer_by: '2099-01-01T11:00:00Z' });
    expect(plain).not.toHaveProperty('expects_answer');
  });

  it('a time by which the answer is needed is enough', async () => {
    await world.send('ana', 'ben', 'soon', { answer_by: '2099-01-01T00:00:00Z' });
    expect(await waits()).toEqual(['ana ben']);
  });

  it.each([
    [
      'answered',
      async (ref: string) =>
        void (await world.mailbox('ben').reply({ message_ref: ref, body_content: 'yes' })),
    ],
    [
      'marked answered',
      async (ref: string) => void (await world.mailbox('ben').mark({ message_refs: [ref], answered: true })),
    ],
    ['archived', async (ref: string) => void (await world.mailbox('ben').archive([ref]))],
    ['withdrawn', async (ref: string) => void (await world.mailbox('ana').archive([ref]))],
    ['left by its reader', async () => void world.store.unregister(at('ben'), 'deactivate')],
  ])('a wait ends when its message is %s', async (_, end) => {
    const { message } = await ask('ana', 'ben', 'q');
    await world.mailbox('ben').read(message.message_ref);
    expect(await waits()).toEqual(['ana ben']);
    await end(message.message_ref);
    expect(await waits()).toEqual([]);
  });

  it('a wait of several ends for each reader by itself', async () => {
    const { message } = await world
      .mailbox('ana')
      .send({ to: [at('ben'), at('cem')], subject: 'q', body_content: '', expects_answer: true });
    await world.mailbox('ben').archive([message.message_ref]);
    expect(await waits()).toEqual(['ana cem']);
  });

  it('a wait without an answer ends a week after it was needed', async () => {
    const clock = new FakeClock();
    const store = openMailStore({ root: world.root, clock });
    const draft = { to: [at('ben')], subject: 'q', body_content: '', answer_by: '2026-01-03T00:00:00Z' };
    await store.mailbox(at('ana')).send(draft);
    await clock.advance(8.9 * 86_400_000);
    expect(pairs(await store.waits.list())).toEqual(['ana ben']);
    await clock.advance(86_400_000);
    expect(await store.waits.list()).toEqual([]);
    await store.close();
  });
});

describe('agents that wait for each other', () => {
  it('a circle is reported once, to its members and the person, with the way out', async () => {
    const { message } = await circle();
    for (const name of ['ana', 'ben', 'cem'])
      expect(await reports(name)).toEqual(['You wait for each other: cem → ana → ben → cem']);
    expect(await toPerson()).toEqual(['You wait for each other: cem → ana → ben → cem']);
    const [report] = (await world.mailbox('ana').list({ include_body: true })).messages;
    expect(report).toMatchObject({ sender: { address: OPERATOR.address, display_name: 'Rouse' } });
    expect(report!.body_text).toContain(`ana answers "which name?" (${message.message_ref}) now`);
    await ask('cem', 'ana', 'again');
    await ask('ana', 'ben', 'and again');
    expect(await reports('ana')).toHaveLength(1);
  });

  it('a circle that was broken and closes again is reported again', async () => {
    const { message } = await circle();
    await world.mailbox('ana').reply({ message_ref: message.message_ref, body_content: 'x' });
    expect(await waits()).toEqual(['ana ben', 'ben cem']);
    await ask('cem', 'ana', 'once more');
    expect(await reports('ana')).toHaveLength(2);
  });

  it('a reply that asks back closes no circle with the message it answers', async () => {
    const { message } = await ask('ana', 'ben', 'q');
    await world
      .mailbox('ben')
      .reply({ message_ref: message.message_ref, body_content: 'which?', expects_answer: true });
    expect(await waits()).toEqual(['ben ana']);
    expect(await reports('ana')).toEqual([]);
  });

  it('a circle is reported once by several processes at once, and not again after a repair of the index', async () => {
    await ask('ana', 'ben', 'q1');
    const other = openMailStore({ root: world.root });
    const draft = (to: string) => ({ to: [at(to)], subject: 'q', body_content: '', expects_answer: true });
    await Promise.all([
      other.mailbox(at('ben')).send({ ...draft('ana'), idempotency_key: 'k' }),
      world.mailbox('ben').send({ ...draft('ana'), idempotency_key: 'k' }),
      world.mailbox('ben').send(draft('ana')),
    ]);
    expect(await reports('ana')).toHaveLength(1);
    const before = await waits();
    await other.close();
    await world.store.published();
    await world.store.close();
    for (const suffix of ['', '-wal', '-shm'])
      fs.rmSync(world.path(`index.sqlite${suffix}`), { force: true });
    await repairMailStore({ root: world.root });
    await world.reopen();
    expect((await waits()).toSorted()).toEqual(before.toSorted());
    expect(await reports('ana')).toHaveLength(1);
    await ask('ben', 'ana', 'another');
    expect(await reports('ana')).toHaveLength(1);
  });
});

describe('an answer that is late', () => {
  it('a late answer is reported once, to both and the person, whatever restarts and replicas', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00.000Z');
    const store = openMailStore({ root: world.root, clock });
    const other = openMailStore({ root: world.root, clock });
    const draft = { to: [at('ben')], subject: 'port?', body_content: '', answer_by: '2026-01-01T02:00:00Z' };
    await store.mailbox(at('ana')).send(draft);
    expect(await store.waits.reportOverdue()).toBe('2026-01-01T02:00:00Z');
    await clock.advance(2 * 3600_000);
    expect(await Promise.all([store.waits.reportOverdue(), other.waits.reportOverdue()])).toEqual([
      undefined,
      undefined,
    ]);
    await store.close();
    await other.waits.reportOverdue();
    await other.close();
    for (const name of ['ana', 'ben']) expect(await reports(name)).toEqual(['Overdue: ana waits for ben']);
    expect(await toPerson()).toEqual(['Overdue: ana waits for ben']);
  });

  it('an answer that came in time is not reported', async () => {
    const clock = new FakeClock('2026-01-01T00:00:00.000Z');
    const store = openMailStore({ root: world.root, clock });
    const draft = { to: [at('ben')], subject: 'port?', body_content: '', answer_by: '2026-01-01T02:00:00Z' };
    const { message } = await store.mailbox(at('ana')).send(draft);
    await store.mailbox(at('ben')).archive([message.message_ref]);
    await clock.advance(3 * 3600_000);
    expect(await store.waits.reportOverdue()).toBeUndefined();
    await store.close();
    expect(await reports('ana')).toEqual([]);
  });
});
