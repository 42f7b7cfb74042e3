import { expect, it } from 'vitest';
import { type MailScene, subjects } from './mail-scene.contract.ts';

/** What list, count and peek return, in which order and on which page. */
export function describeLists(scene: MailScene): void {
  it('a mailbox lists the newest first, also within one second', async () => {
    for (const subject of ['one', 'two', 'three']) await scene.write(subject);
    expect(subjects((await scene.bob.list()).messages)).toEqual(['three', 'two', 'one']);
  });

  it('a mailbox leaves bodies out of a list unless they are asked for', async () => {
    await scene.write('plain');
    const { messages } = await scene.bob.list();
    expect(messages[0]).not.toHaveProperty('body_text');
    expect(messages[0]!.body_preview).toBe('about plain');
  });

  it('a mailbox cuts a long preview at 240 characters', async () => {
    await scene.write('long', 'word '.repeat(200));
    const { body_preview } = await scene.bobGot('long');
    expect(body_preview).toHaveLength(240);
    expect(body_preview.endsWith('...')).toBe(true);
  });

  it('a mailbox returns pages that follow each other without gap or overlap', async () => {
    for (let n = 0; n < 7; n++) await scene.write(`m${n}`);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await scene.bob.list({ limit: 3, cursor });
      expect(page.message_count).toBe(page.messages.length);
      seen.push(...subjects(page.messages));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(['m6', 'm5', 'm4', 'm3', 'm2', 'm1', 'm0']);
  });

  it('a mailbox lists archived mail from the archive', async () => {
    await scene.write('done');
    await scene.bob.archive([(await scene.bobGot('done')).message_ref]);
    expect(await scene.bob.list({ archived: true })).toMatchObject({ box: 'archive', message_count: 1 });
    expect(await scene.bob.list({ archived: false })).toMatchObject({ box: 'inbox', message_count: 0 });
    expect(await scene.bob.count({ archived: true })).toMatchObject({ message_count: 1 });
  });

  it('a mailbox lists from a point in time on, that instant included', async () => {
    const { created_at_utc: at } = await scene.write('now');
    expect(subjects((await scene.bob.list({ since: at })).messages)).toEqual(['now']);
    expect((await scene.bob.list({ since: '2999-01-01T00:00:00Z' })).messages).toEqual([]);
  });

  it('a mailbox counts all matches, across pages', async () => {
    for (let n = 0; n < 5; n++) await scene.write(`m${n}`);
    expect(await scene.bob.count()).toEqual({ message_count: 5, open_count: 5, unread_count: 5 });
    expect(await scene.bob.count({ limit: 2 })).toEqual({ message_count: 5, open_count: 5, unread_count: 5 });
  });

  it('a mailbox accepts a message id without its prefix and refuses one of another transport', async () => {
    await scene.write('bare');
    const { message_ref: ref } = await scene.bobGot('bare');
    const id = ref.slice(scene.bob.transport.length + 1);
    expect((await scene.bob.peek(id)).message_ref).toBe(ref);
    await expect(scene.bob.peek(`stalwart:${id}`)).rejects.toMatchObject({ code: 'invalid' });
  });

  it('a mailbox reports an unknown message as not found, and a known one as being in another box', async () => {
    await scene.write('here');
    const { message_ref: ref } = await scene.bobGot('here');
    const unknown = `${scene.bob.transport}:msg-20200101T000000Z-${'0'.repeat(32)}`;
    await expect(scene.bob.peek(unknown)).rejects.toMatchObject({ code: 'not_found' });
    await expect(scene.bob.peek(ref, { box: 'archive' })).rejects.toMatchObject({ code: 'not_found' });
    expect(await scene.bob.peek(ref, { box: 'inbox' })).toMatchObject({ message_ref: ref });
  });
}
