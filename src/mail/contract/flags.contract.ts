import { expect, it } from 'vitest';
import { type MailScene, subjects } from './mail-scene.contract.ts';

/** Read, answered, archived and boxes: what changes, and that several messages change together or not at all. */
export function describeFlags(scene: MailScene): void {
  it('a mailbox peeks without changing anything', async () => {
    await scene.write('peeked');
    const { message_ref: ref } = await scene.bobGot('peeked');
    const before = await scene.bob.version();
    expect(await scene.bob.peek(ref)).toMatchObject({ read: false, body_text: 'about peeked' });
    expect(await scene.bob.version()).toBe(before);
  });

  it.runIf(scene.capabilities.read_flag)('a mailbox marks what is read, once', async () => {
    await scene.write('to read');
    const { message_ref: ref } = await scene.bobGot('to read');
    expect(await scene.bob.read(ref)).toMatchObject({ read: true, unread: false, box: 'inbox' });
    const after = await scene.bob.version();
    await scene.bob.read(ref);
    expect(await scene.bob.version()).toBe(after);
    expect((await scene.bob.list({ read_state: 'unread' })).messages).toEqual([]);
    expect(subjects((await scene.bob.list({ read_state: 'read' })).messages)).toEqual(['to read']);
    expect(await scene.bob.status()).toMatchObject({ open_count: 1, unread_count: 0 });
    const [again] = await scene.bob.mark({ message_refs: [ref], read: false });
    expect(again).toMatchObject({ read: false, unread: true });
  });

  it.runIf(scene.capabilities.answered_flag)('a mailbox marks answered and not answered', async () => {
    await scene.write('question');
    const { message_ref: ref } = await scene.bobGot('question');
    const [marked] = await scene.bob.mark({ message_refs: [ref], answered: true });
    expect(marked).toMatchObject({ answered: true, read: false });
    expect(subjects((await scene.bob.list({ answered_state: 'answered' })).messages)).toEqual(['question']);
    expect((await scene.bob.list({ answered_state: 'unanswered' })).messages).toEqual([]);
    const [cleared] = await scene.bob.mark({ message_refs: [ref], answered: false });
    expect(cleared).toMatchObject({ answered: false });
  });

  it('an archived message is read, out of the inbox and in the archive', async () => {
    await scene.write('done');
    await scene.write('open');
    const { message_ref: ref } = await scene.bobGot('done');
    const [archived] = await scene.bob.archive([ref]);
    expect(archived).toMatchObject({ archived: true, read: true, box: 'archive' });
    expect(subjects((await scene.bob.list()).messages)).toEqual(['open']);
    expect(subjects((await scene.bob.list({ box: 'archive' })).messages)).toEqual(['done']);
    expect(await scene.bob.status()).toMatchObject({ open_count: 1 });
    expect((await scene.bob.archive([archived!.message_ref]))[0]).toMatchObject({ box: 'archive' });
    expect((await scene.bob.list({ box: 'archive' })).message_count).toBe(1);
  });

  it.runIf(scene.capabilities.unarchive)('a mailbox brings archived mail back to the inbox', async () => {
    await scene.write('back');
    const { message_ref: ref } = await scene.bobGot('back');
    await scene.bob.archive([ref]);
    const [back] = await scene.bob.mark({ message_refs: [ref], archived: false });
    expect(back).toMatchObject({ archived: false, box: 'inbox', read: true });
  });

  it('a mailbox refuses archived together with unread', async () => {
    await scene.write('both');
    const { message_ref: ref } = await scene.bobGot('both');
    const both = { message_refs: [ref], archived: true, read: false };
    await expect(scene.bob.mark(both)).rejects.toMatchObject({ code: 'invalid' });
    expect(await scene.bobGot('both')).toMatchObject({ archived: false });
  });

  it.runIf(scene.capabilities.boxes)('a mailbox moves into a box of any name and back', async () => {
    await scene.write('later');
    const { message_ref: ref } = await scene.bobGot('later');
    expect((await scene.bob.move([ref], 'waiting for CI'))[0]).toMatchObject({
      box: 'waiting for CI',
      archived: false,
      read: false,
    });
    expect((await scene.bob.list()).messages).toEqual([]);
    expect(subjects((await scene.bob.list({ box: 'waiting for CI' })).messages)).toEqual(['later']);
    expect((await scene.bob.move([ref], 'inbox'))[0]).toMatchObject({ box: 'inbox' });
  });

  it.runIf(!scene.capabilities.boxes)(
    'a mailbox refuses a box that it cannot keep as unsupported',
    async () => {
      await scene.write('later');
      const { message_ref: ref } = await scene.bobGot('later');
      await expect(scene.bob.move([ref], 'waiting')).rejects.toMatchObject({ code: 'unsupported' });
      expect(await scene.bobGot('later')).toMatchObject({ box: 'inbox' });
    },
  );

  it.each(['', ' ', '.', '..', 'a/b', 'a\\b', '../inbox', 'a\u0000b', 'a\nb', '.hidden'])(
    'refuses the box name %j',
    async (box) => {
      await scene.write('stays');
      const { message_ref: ref } = await scene.bobGot('stays');
      await expect(scene.bob.move([ref], box)).rejects.toMatchObject({ code: 'invalid' });
      expect(await scene.bobGot('stays')).toMatchObject({ box: 'inbox' });
    },
  );

  it('a mailbox changes all of several messages or none', async () => {
    await scene.write('a');
    await scene.write('b');
    const refs = [(await scene.bobGot('a')).message_ref, (await scene.bobGot('b')).message_ref];
    const before = await scene.bob.version();
    const unknown = `${scene.bob.transport}:msg-20200101T000000Z-${'0'.repeat(32)}`;
    await expect(scene.bob.archive([refs[0]!, unknown])).rejects.toMatchObject({ code: 'not_found' });
    await expect(scene.bob.archive([])).rejects.toMatchObject({ code: 'invalid' });
    await expect(scene.bob.archive([refs[0]!, refs[0]!])).rejects.toMatchObject({ code: 'invalid' });
    await expect(scene.bob.mark({ message_refs: refs })).rejects.toMatchObject({ code: 'invalid' });
    expect(await scene.bob.version()).toBe(before);
    const archived = await scene.bob.archive(refs);
    expect(archived.map(({ subject, box }) => [subject, box])).toEqual([
      ['a', 'archive'],
      ['b', 'archive'],
    ]);
  });
}
