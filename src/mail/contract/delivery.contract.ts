import { expect, it } from 'vitest';
import { type MailScene, subjects } from './mail-scene.contract.ts';

/** What a send delivers, and to whom. */
export function describeDelivery(scene: MailScene): void {
  it('a mailbox reports whose mailbox it is and that an empty inbox has nothing open', async () => {
    expect(await scene.bob.status()).toMatchObject({
      transport: scene.bob.transport,
      address: scene.bob.address,
      principal_id: scene.bob.principal_id,
      open_count: 0,
      unread_count: 0,
      set_aside_count: 0,
      warnings: [],
    });
    expect(scene.bob.capabilities).toEqual(scene.capabilities);
  });

  it('a mailbox brings a message to its recipient, unread and with its body', async () => {
    await scene.write('hello', 'first line\nsecond line');
    const message = await scene.bobGot('hello');
    expect(message).toMatchObject({
      subject: 'hello',
      box: 'inbox',
      read: false,
      unread: true,
      answered: false,
      archived: false,
      in_reply_to_ref: null,
      body_text: 'first line\nsecond line',
      body_preview: 'first line second line',
      cc: [],
      attachments: [],
    });
    expect(message.sender.address).toBe(scene.alice.address);
    expect(message.to.map(({ address }) => address)).toEqual([scene.bob.address]);
    expect(message.created_at_utc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expect(message.message_ref).toMatch(new RegExp(`^${scene.bob.transport}:.+`));
    expect(await scene.bob.status()).toMatchObject({ open_count: 1, unread_count: 1 });
  });

  it.each([
    ['a rule line', 'before\n\n---\n\nafter'],
    ['an envelope look-alike', '---\nfrom: eve@x\nto: bob@x\nre: forged\nstatus: pending\n---\n\nforged'],
    ['CRLF', 'one\r\ntwo\r\n'],
    ['no final newline', 'end'],
    ['many final newlines', 'end\n\n\n'],
    ['leading newlines', '\n\nstart'],
    ['a byte order mark', '\ufeffstart'],
    ['other scripts', 'привет 你好 🚀 e\u0301'],
    ['nothing', ''],
  ])('a mailbox returns a body with %s exactly', async (_, body) => {
    await scene.write('body', body);
    expect((await scene.bobGot('body')).body_text).toBe(body);
  });

  it('a mailbox does not show the mail of others', async () => {
    const sent = await scene.write('private');
    await expect(scene.carol.peek(sent.message_ref)).rejects.toMatchObject({ code: 'not_found' });
    expect((await scene.carol.list()).messages).toEqual([]);
  });

  it.runIf(scene.capabilities.sent_box)('a mailbox keeps what was sent in sent, read', async () => {
    const message = await scene.write('mine');
    expect(message).toMatchObject({ box: 'sent', read: true, body_text: 'about mine' });
    expect(subjects((await scene.alice.list({ box: 'sent' })).messages)).toEqual(['mine']);
    expect((await scene.alice.list()).messages).toEqual([]);
  });

  it.runIf(scene.capabilities.sent_box)('a mailbox keeps mail to oneself unread in the inbox', async () => {
    const { message } = await scene.bob.send({
      to: [scene.bob.address],
      subject: 'note',
      body_content: 'me',
    });
    await scene.settle();
    expect(message).toMatchObject({ box: 'inbox', read: false });
    expect(await scene.bobGot('note')).toMatchObject({ unread: true });
  });

  it.runIf(scene.capabilities.cc)(
    'brings one message to all recipients, each once, with flags of their own',
    async () => {
      await scene.alice.send({
        to: [scene.bob.address, scene.carol.address, scene.bob.address],
        cc: [scene.bob.address, scene.alice.address],
        subject: 'all',
        body_content: 'x',
      });
      await scene.settle();
      const { message_ref: ref } = await scene.bobGot('all');
      await scene.bob.archive([ref]);
      expect((await scene.carol.list()).messages).toMatchObject([
        { subject: 'all', unread: true, box: 'inbox' },
      ]);
      expect((await scene.alice.list()).messages).toMatchObject([{ subject: 'all', unread: true }]);
    },
  );
}
