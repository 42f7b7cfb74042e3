import { expect, it } from 'vitest';
import { type MailScene, subjects } from './mail-scene.contract.ts';

/** Words are found and are never treated as commands. */
export function describeSearch(scene: MailScene): void {
  it.runIf(scene.capabilities.search)(
    'finds words of subject and body in every box of this mailbox only',
    async () => {
      await scene.write('weekly report', 'the queue is empty');
      await scene.write('other', 'nothing to see');
      await scene.bob.archive([(await scene.bobGot('weekly report')).message_ref]);
      expect(subjects((await scene.bob.search({ text: 'queue report' })).messages)).toEqual([
        'weekly report',
      ]);
      expect((await scene.bob.search({ text: 'queue', box: 'inbox' })).messages).toEqual([]);
      expect((await scene.bob.search({ text: 'queue missing' })).messages).toEqual([]);
      expect((await scene.carol.search({ text: 'queue' })).messages).toEqual([]);
    },
  );

  it.runIf(scene.capabilities.search).each([
    ['"queue empty"', []],
    ['"is empty"', ['the queue']],
    ['"queue the"', []],
    ['queue empty', ['the queue']],
    ['que', []],
    ['que*', ['the queue']],
    ['QUEUE', ['the queue']],
    ['cafe', ['the queue']],
    ['is_empty', ['the queue']],
    ['is-empty', ['the queue']],
    ['empty-is', []],
  ])(
    'finds with %s %j: whole words, quoted ones next to each other in subject or body',
    async (text, found) => {
      await scene.write('the queue', 'it is empty; Café closed');
      expect(subjects((await scene.bob.search({ text })).messages)).toEqual(found);
    },
  );

  it.runIf(scene.capabilities.search)(
    'returns pages of a search that follow each other without gap or overlap, whatever box they are in',
    async () => {
      for (let n = 0; n < 7; n++) await scene.write(`m${n}`, 'found');
      await scene.write('other', 'nothing');
      const { messages: all } = await scene.bob.search({ text: 'found' });
      for (const subject of ['m1', 'm4'])
        await scene.bob.archive([(await scene.bobGot(subject)).message_ref]);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await scene.bob.search({ text: 'found', limit: 2, cursor });
        expect(page.messages.length).toBeLessThanOrEqual(2);
        expect(page.truncated).toBe(page.next_cursor !== null);
        seen.push(...subjects(page.messages));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen.toSorted()).toEqual(subjects(all).toSorted());
    },
  );

  it.runIf(scene.capabilities.search)(
    'reports a page that ends with the last match as the last',
    async () => {
      for (const subject of ['a', 'b']) await scene.write(subject, 'found');
      expect(await scene.bob.search({ text: 'found', limit: 2 })).toMatchObject({
        next_cursor: null,
        truncated: false,
      });
    },
  );

  it.runIf(scene.capabilities.search)('a mailbox refuses a cursor that is not of any page', async () => {
    await scene.write('plain', 'words');
    const search = scene.bob.search({ text: 'words', cursor: 'nonsense' });
    await expect(search).rejects.toMatchObject({ code: 'invalid' });
  });

  it
    .runIf(scene.capabilities.search)
    .each(['"', '""', "'; DROP TABLE messages; --", 'AND OR NOT', '(', '*', 'a:b', '-x'])(
    'searches for %j as text, never as a command',
    async (text) => {
      await scene.write('plain', 'words');
      const page = await scene.bob.search({ text });
      expect(page.messages).toEqual([]);
    },
  );
}
