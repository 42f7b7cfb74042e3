import { expect, it } from 'vitest';
import type { MailScene } from './mail-scene.contract.ts';

/** Bad input is refused before anything is written. */
export function describeRefusals(scene: MailScene): void {
  it('a mailbox refuses an unregistered recipient, names the nearest known one, and writes nothing', async () => {
    const typo = scene.bob.address.replace('@', 'x@');
    const draft = { to: [scene.bob.address, typo], subject: 'typo', body_content: 'x' };
    const failed = scene.alice.send(draft);
    await expect(failed).rejects.toMatchObject({
      code: expect.stringMatching(/^(not_found|unsupported)$/),
    });
    if (scene.capabilities.cc) {
      await expect(failed).rejects.toMatchObject({ hint: expect.stringContaining(scene.bob.address) });
    }
    await scene.settle();
    expect((await scene.bob.list()).messages).toEqual([]);
    if (scene.capabilities.sent_box) expect((await scene.alice.list({ box: 'sent' })).messages).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no recipient', { to: [] }],
    ['a blank subject', { subject: '  ' }],
    ['a subject of two lines', { subject: 'a\nfrom: eve@x' }],
    ['a control character in the subject', { subject: 'a\u001b[2Jb' }],
    ['U+0000 in the body', { body_content: 'a\u0000b' }],
    ['half a character in the body', { body_content: 'a\ud800b' }],
    ['a key of two lines', { idempotency_key: 'a\nb' }],
    ['a blank key', { idempotency_key: ' ' }],
    ['an unknown field', { bcc: ['x'] }],
    ['a number as subject', { subject: 7 }],
    ['a relative attachment', { attachments: [{ path: 'notes.txt' }] }],
  ])('a mailbox refuses %s and writes nothing', async (_, wrong) => {
    const draft = { to: [scene.bob.address], subject: 'fine', body_content: 'x', ...wrong };
    await expect(scene.alice.send(draft)).rejects.toMatchObject({ code: 'invalid' });
    await scene.settle();
    expect((await scene.bob.list()).messages).toEqual([]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a limit of zero', { limit: 0 }],
    ['a broken limit', { limit: 1.5 }],
    ['an unknown read state', { read_state: 'maybe' }],
    ['a time that is none', { since: 'yesterday' }],
    ['a path as box', { box: '../x' }],
    ['an unknown field', { sort: 'asc' }],
    ['archived mail that is in the inbox', { box: 'inbox', archived: true }],
    ['mail of the archive that is not archived', { box: 'archive', archived: false }],
  ])('a mailbox refuses a list with %s', async (_, query) => {
    await expect(scene.bob.list(query)).rejects.toMatchObject({ code: 'invalid' });
    await expect(scene.bob.count(query)).rejects.toMatchObject({ code: 'invalid' });
  });
}
