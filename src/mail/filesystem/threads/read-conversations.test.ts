import { afterEach, beforeEach, expect, it } from 'vitest';
import { at, TestRoot } from '../world.testing.ts';

let world: TestRoot;
beforeEach(() => {
  world = new TestRoot('ana', 'ben', 'cleo');
});
afterEach(() => world.end());

type Wanted = Parameters<TestRoot['store']['conversations']>[0];
const ANY: Wanted = {
  mailbox: undefined,
  box: null,
  unread: false,
  answered: 'any',
  files: false,
  text: undefined,
  cursor: null,
  limit: 100,
  first: at('ana'),
};
const listed = async (over: Partial<Wanted> = {}) =>
  (await world.store.conversations({ ...ANY, ...over })).conversations;
const shown = async (over: Partial<Wanted> = {}): Promise<string[]> =>
  (await listed(over)).map(
    ({ address, message, count, unread }) =>
      `${message.subject} of ${address.split('@')[0]}: ${count}, ${unread} unread`,
  );
const newest = async (who: string, box = 'inbox'): Promise<string> =>
  (await world.mailbox(who).list({ box, limit: 1 })).messages[0]!.message_ref;

async function reply(who: string, body: string): Promise<void> {
  await world.mailbox(who).reply({ message_ref: await newest(who), body_content: body });
}

it('a thread is one row, at its newest message, with its count, its unread mail and everyone in it', async () => {
  await world.send('ana', 'ben', 'plan');
  await world.send('cleo', 'ben', 'other');
  await reply('ben', 'about other');
  const { messages } = await world.mailbox('ben').list({ box: 'inbox' });
  const plan = messages.find(({ subject }) => subject === 'plan')!;
  await world.mailbox('ben').reply({ message_ref: plan.message_ref, body_content: 'yes' });
  expect(await shown()).toEqual(['Re: plan of ana: 2, 1 unread', 'Re: other of cleo: 2, 1 unread']);
  const [row] = await listed();
  expect(row?.participants.map(({ address }) => address)).toEqual([at('ana'), at('ben')]);
  // Sorting it changes what ana received, not what she sent.
  expect(row?.refs).toEqual([await newest('ana')]);
});

it('a conversation without received mail is sorted by what was sent', async () => {
  await world.send('ana', 'ben', 'plan');
  expect((await listed())[0]?.refs).toEqual([await newest('ana', 'sent')]);
});

it('conversations are narrowed by mailbox, box, state, people, time and words, and a row shows the message that matches', async () => {
  await world.send('ana', 'ben', 'plan');
  await reply('ben', 'agreed');
  await world.send('cleo', 'ben', '100%_sure');
  expect(await shown({ mailbox: at('cleo') })).toEqual(['100%_sure of cleo: 1, 0 unread']);
  expect(await shown({ text: 'agreed' })).toEqual(['Re: plan of ana: 2, 1 unread']);
  expect(await shown({ text: 'plan', from: 'ana' })).toEqual(['plan of ana: 2, 1 unread']);
  expect(await shown({ from: '%' })).toEqual([]);
  expect(await shown({ to: 'BEN' })).toEqual(['100%_sure of ben: 1, 1 unread', 'plan of ana: 2, 1 unread']);
  expect(await shown({ answered: 'answered' })).toEqual(['plan of ben: 2, 0 unread']);
  expect(await shown({ since: '2999-01-01T00:00:00Z' })).toEqual([]);
  expect(await shown({ files: true })).toEqual([]);
  await world.mailbox('ana').archive([await newest('ana')]);
  expect(await shown({ box: 'archive' })).toEqual(['Re: plan of ana: 2, 0 unread']);
  await world.mailbox('ana').send({ to: [at('ben')], subject: 'more', body_content: 'x' });
  expect((await listed({ text: 'agreed' }))[0]?.archived).toBe(true);
  expect((await listed({ text: 'sure' }))[0]?.archived).toBe(false);
  expect(await shown({ unread: true, from: 'cleo' })).toEqual(['100%_sure of ben: 1, 1 unread']);
});

it('pages of conversations continue where the one before ended, and no thread is listed twice', async () => {
  for (let n = 1; n <= 7; n++) {
    await world.send('ana', 'ben', `m${n}`);
    if (n % 2) await reply('ben', 'fine');
  }
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await world.store.conversations({ ...ANY, cursor, limit: 2 });
    seen.push(...page.conversations.map(({ message }) => message.subject.replace('Re: ', '')));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(['m7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1']);
});
