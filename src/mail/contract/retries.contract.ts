import { expect, it } from 'vitest';
import type { MailScene } from './mail-scene.contract.ts';

/** A key makes a send, reply or post one message, however often it is retried. */
export function describeRetries(scene: MailScene): void {
  it('a mailbox recognises a retry by its key and content, and reports it as a duplicate', async () => {
    const draft = { to: [scene.bob.address], subject: 'once', body_content: 'x', idempotency_key: 'k-1' };
    const first = await scene.alice.send(draft);
    const second = await scene.alice.send({ ...draft });
    await scene.settle();
    expect(first.duplicate).toBe(false);
    expect(second.duplicate).toBe(true);
    expect(second.message.message_ref).toBe(first.message.message_ref);
    await scene.bobGot('once');
    const third = await scene.alice.send({ ...draft });
    await scene.settle();
    expect(third.duplicate).toBe(true);
    await scene.bobGot('once');
  });

  it('a mailbox recognises a retry after the recipient archived the message', async () => {
    const draft = { to: [scene.bob.address], subject: 'late', body_content: 'x', idempotency_key: 'k-2' };
    await scene.alice.send(draft);
    await scene.settle();
    await scene.bob.archive([(await scene.bobGot('late')).message_ref]);
    expect((await scene.alice.send(draft)).duplicate).toBe(true);
    await scene.settle();
    expect((await scene.bob.list()).messages).toEqual([]);
    expect((await scene.bob.list({ box: 'archive' })).message_count).toBe(1);
  });

  it('a mailbox refuses a used key with other content as a conflict, and writes nothing', async () => {
    const draft = { to: [scene.bob.address], subject: 'once', body_content: 'x', idempotency_key: 'k-3' };
    await scene.alice.send(draft);
    const other = scene.alice.send({ ...draft, body_content: 'y' });
    await expect(other).rejects.toMatchObject({ code: 'conflict' });
    await scene.settle();
    expect((await scene.bobGot('once')).body_text).toBe('x');
  });

  it('a mailbox treats retries that arrive at the same time as one message', async () => {
    const draft = { to: [scene.bob.address], subject: 'rush', body_content: 'x', idempotency_key: 'k-4' };
    const all = await Promise.all([1, 2, 3, 4].map(() => scene.alice.send({ ...draft })));
    await scene.settle();
    expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(new Set(all.map(({ message }) => message.message_ref)).size).toBe(1);
    await scene.bobGot('rush');
  });

  it('a mailbox keeps the keys of two senders separate', async () => {
    const draft = { to: [scene.bob.address], body_content: 'x', idempotency_key: 'same' };
    await scene.alice.send({ ...draft, subject: 'from alice' });
    const other = await scene.carol.send({ ...draft, subject: 'from carol' });
    expect(other.duplicate).toBe(false);
  });

  it('a mailbox replies once when a reply is retried with its key', async () => {
    await scene.write('ask');
    const { message_ref: ref } = await scene.bobGot('ask');
    const reply = { message_ref: ref, body_content: 'yes', idempotency_key: 'r-1' };
    expect((await scene.bob.reply(reply)).duplicate).toBe(false);
    expect((await scene.bob.reply(reply)).duplicate).toBe(true);
    await scene.settle();
    expect((await scene.alice.list()).message_count).toBe(1);
  });

  it.runIf(scene.capabilities.post)('a mailbox posts once when a post is retried with its key', async () => {
    const note = { subject: 'n', body_content: 'x', idempotency_key: 'p-1' };
    expect((await scene.bob.post(note)).duplicate).toBe(false);
    expect((await scene.bob.post(note)).duplicate).toBe(true);
    expect((await scene.bob.list()).message_count).toBe(1);
    const other = { ...note, reply_policy: 'none' as const };
    await expect(scene.bob.post(other)).rejects.toMatchObject({ code: 'conflict' });
  });
}
