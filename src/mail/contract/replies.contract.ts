import { expect, it } from 'vitest';
import type { MailScene } from './mail-scene.contract.ts';

/** Replies to mail and to the operator's notes. */
export function describeReplies(scene: MailScene): void {
  it('a mailbox sends a reply in the thread, to the sender, and marks the parent read and answered', async () => {
    await scene.write('how far?');
    const { message_ref: ref } = await scene.bobGot('how far?');
    const { message } = await scene.bob.reply({ message_ref: ref, body_content: 'done' });
    await scene.settle();
    expect(message.subject).toBe('Re: how far?');
    expect(await scene.bob.peek(ref)).toMatchObject({ read: true, answered: true, archived: false });
    const { messages } = await scene.alice.list({ include_body: true });
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ subject: 'Re: how far?', body_text: 'done', unread: true });
    expect(messages[0]!.in_reply_to_ref).toBe(ref);
    expect(messages[0]!.thread_ref).toBe((await scene.bob.peek(ref)).thread_ref);
    const back = await scene.alice.reply({ message_ref: messages[0]!.message_ref, body_content: 'thanks' });
    expect(back.message.subject).toBe('Re: how far?');
  });

  it('a mailbox refuses to answer what is not in this mailbox, and sends nothing', async () => {
    const sent = await scene.write('not yours');
    const reply = { message_ref: sent.message_ref, body_content: 'mine?' };
    await expect(scene.carol.reply(reply)).rejects.toMatchObject({ code: 'not_found' });
    await scene.settle();
    expect((await scene.alice.list()).messages).toEqual([]);
  });

  it.runIf(scene.capabilities.post)(
    'a mailbox takes a note of the operator, who can be answered',
    async () => {
      const posted = await scene.bob.post({ subject: 'please', body_content: 'stop' });
      expect(posted.message).toMatchObject({ box: 'inbox', unread: true, body_text: 'stop' });
      expect(posted.message.sender.address).toBe('HOUMAO-operator@houmao.localhost');
      const { message } = await scene.bob.reply({
        message_ref: posted.message.message_ref,
        body_content: 'ok',
      });
      expect(message.to.map(({ address }) => address)).toEqual(['HOUMAO-operator@houmao.localhost']);
    },
  );

  it.runIf(scene.capabilities.post)('a mailbox refuses to answer a note that takes no replies', async () => {
    const posted = await scene.bob.post({ subject: 'fyi', body_content: 'x', reply_policy: 'none' });
    const reply = scene.bob.reply({ message_ref: posted.message.message_ref, body_content: 'ok' });
    await expect(reply).rejects.toMatchObject({ code: 'unsupported' });
    expect(await scene.bobGot('fyi')).toMatchObject({ answered: false, read: false });
  });

  it.runIf(!scene.capabilities.post)('a mailbox refuses a post as unsupported', async () => {
    const post = scene.bob.post({ subject: 'n', body_content: 'x' });
    await expect(post).rejects.toMatchObject({ code: 'unsupported' });
  });
}
