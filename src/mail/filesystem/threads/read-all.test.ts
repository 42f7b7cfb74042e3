import { afterEach, beforeEach, expect, it } from 'vitest';
import { at, TestRoot } from '../world.testing.ts';

let world: TestRoot;
beforeEach(async () => {
  world = new TestRoot('ana', 'ben', 'cleo');
  for (let n = 1; n <= 7; n++) await world.send(n % 2 ? 'ana' : 'ben', 'cleo', `m${n}`);
});
afterEach(() => world.end());

const ANY: Parameters<TestRoot['store']['all']>[0] = {
  box: null,
  unread: false,
  text: undefined,
  cursor: null,
  limit: 100,
  first: at('ana'),
};
const all = async (over: Partial<typeof ANY> = {}): Promise<string[]> =>
  (await world.store.all({ ...ANY, ...over })).messages.map(
    ({ address, message }) => `${message.subject} of ${address.split('@')[0]}`,
  );

it('all mail is listed newest first, each message once: as the first mailbox has it, else as a recipient', async () => {
  expect(await all()).toEqual([
    'm7 of ana',
    'm6 of cleo',
    'm5 of ana',
    'm4 of cleo',
    'm3 of ana',
    'm2 of cleo',
    'm1 of ana',
  ]);
});

it('all mail is paged, and each page continues where the one before ended', async () => {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await world.store.all({ ...ANY, cursor, limit: 3 });
    expect(page.messages.length).toBeLessThanOrEqual(3);
    seen.push(...page.messages.map(({ message }) => message.subject));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(['m7', 'm6', 'm5', 'm4', 'm3', 'm2', 'm1']);
});

it('all mail can be narrowed by box, unread and words', async () => {
  const cleo = world.mailbox('cleo');
  const { messages } = await cleo.list({ box: 'inbox' });
  const refs = messages
    .filter(({ subject }) => subject === 'm1' || subject === 'm2')
    .map((m) => m.message_ref);
  await cleo.archive(refs);
  expect(await all({ box: 'archive' })).toEqual(['m2 of cleo', 'm1 of cleo']);
  expect(await all({ box: 'sent' })).toHaveLength(7);
  await cleo.mark({ message_refs: messages.slice(0, 2).map((m) => m.message_ref), read: true });
  expect(await all({ unread: true, box: 'inbox' })).toEqual(['m5 of cleo', 'm4 of cleo', 'm3 of cleo']);
  expect(await all({ text: 'm6' })).toEqual(['m6 of cleo']);
  expect(await all({ text: 'about' })).toHaveLength(7);
  expect(await all({ text: 'nowhere' })).toEqual([]);
});
