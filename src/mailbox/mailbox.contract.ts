import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MailMessage } from '../domain/index.ts';
import type { Mailbox, MailCapabilities } from './port.ts';

/** Three mailboxes that can write to each other, in a store of their own. */
export interface MailWorld {
  alice: Mailbox;
  bob: Mailbox;
  carol: Mailbox;
  /** Brings sent mail to its readers where a transport needs a carrier; elsewhere does nothing. */
  settle(): Promise<void>;
  /** Another handle on bob's mailbox, as another process would hold it. */
  anotherBob(): Promise<Mailbox>;
  end(): Promise<void>;
}

export interface MailContract {
  name: string;
  capabilities: MailCapabilities;
  begin(): Promise<MailWorld>;
}

/** What every mailbox does, whatever it is kept in. Each store, and the fake, passes all of it. */
export function describeMailbox({ name, capabilities, begin }: MailContract): void {
  describe(`the mailbox contract, ${name}`, () => {
    let world: MailWorld;
    let alice: Mailbox;
    let bob: Mailbox;

    beforeEach(async () => {
      world = await begin();
      ({ alice, bob } = world);
    });
    afterEach(() => world.end());

    async function tell(subject: string, body = `about ${subject}`, key?: string): Promise<MailMessage> {
      const sent = await alice.send({
        to: [bob.address],
        subject,
        body_content: body,
        ...(key === undefined ? {} : { idempotency_key: key }),
      });
      await world.settle();
      return sent.message;
    }

    async function bobGot(subject: string): Promise<MailMessage> {
      const { messages } = await bob.list({ include_body: true });
      const found = messages.filter((message) => message.subject === subject);
      expect(found, `copies of ${subject}`).toHaveLength(1);
      return found[0]!;
    }

    const subjects = (messages: MailMessage[]): string[] => messages.map(({ subject }) => subject);

    it('says who it is and that an empty inbox has nothing open', async () => {
      expect(await bob.status()).toMatchObject({
        transport: bob.transport,
        address: bob.address,
        principal_id: bob.principal_id,
        open_count: 0,
        unread_count: 0,
        set_aside_count: 0,
        warnings: [],
      });
      expect(bob.capabilities).toEqual(capabilities);
    });

    it('brings a message to its recipient, unread and with its body', async () => {
      await tell('hello', 'first line\nsecond line');
      const message = await bobGot('hello');
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
      expect(message.sender.address).toBe(alice.address);
      expect(message.to.map(({ address }) => address)).toEqual([bob.address]);
      expect(message.created_at_utc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      expect(message.message_ref).toMatch(new RegExp(`^${bob.transport}:.+`));
      expect(await bob.status()).toMatchObject({ open_count: 1, unread_count: 1 });
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
    ])('gives a body with %s back exactly', async (_, body) => {
      await tell('body', body);
      expect((await bobGot('body')).body_text).toBe(body);
    });

    it('lists the newest first, also within one second', async () => {
      for (const subject of ['one', 'two', 'three']) await tell(subject);
      expect(subjects((await bob.list()).messages)).toEqual(['three', 'two', 'one']);
    });

    it('leaves bodies out of a list unless they are asked for', async () => {
      await tell('plain');
      const { messages } = await bob.list();
      expect(messages[0]).not.toHaveProperty('body_text');
      expect(messages[0]!.body_preview).toBe('about plain');
    });

    it('cuts a long preview at 240 characters', async () => {
      await tell('long', 'word '.repeat(200));
      const { body_preview } = await bobGot('long');
      expect(body_preview).toHaveLength(240);
      expect(body_preview.endsWith('...')).toBe(true);
    });

    it('gives pages that follow each other without gap or overlap', async () => {
      for (let n = 0; n < 7; n++) await tell(`m${n}`);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await bob.list({ limit: 3, cursor });
        expect(page.message_count).toBe(page.messages.length);
        seen.push(...subjects(page.messages));
        cursor = page.next_cursor;
      } while (cursor !== null);
      expect(seen).toEqual(['m6', 'm5', 'm4', 'm3', 'm2', 'm1', 'm0']);
    });

    it('lists from a point in time on, that instant included', async () => {
      const { created_at_utc: at } = await tell('now');
      expect(subjects((await bob.list({ since: at })).messages)).toEqual(['now']);
      expect((await bob.list({ since: '2999-01-01T00:00:00Z' })).messages).toEqual([]);
    });

    it('counts what matches, wherever pages end', async () => {
      for (let n = 0; n < 5; n++) await tell(`m${n}`);
      expect(await bob.count()).toEqual({ message_count: 5, open_count: 5, unread_count: 5 });
      expect(await bob.count({ limit: 2 })).toEqual({ message_count: 5, open_count: 5, unread_count: 5 });
    });

    it('peeks without changing anything', async () => {
      await tell('peeked');
      const { message_ref: ref } = await bobGot('peeked');
      const before = await bob.version();
      expect(await bob.peek(ref)).toMatchObject({ read: false, body_text: 'about peeked' });
      expect(await bob.version()).toBe(before);
    });

    it('accepts a message id without its prefix and refuses one of another transport', async () => {
      await tell('bare');
      const { message_ref: ref } = await bobGot('bare');
      const id = ref.slice(bob.transport.length + 1);
      expect((await bob.peek(id)).message_ref).toBe(ref);
      await expect(bob.peek(`stalwart:${id}`)).rejects.toMatchObject({ code: 'invalid' });
    });

    it('says that an unknown message is not found, and that a known one is in another box', async () => {
      await tell('here');
      const { message_ref: ref } = await bobGot('here');
      const unknown = `${bob.transport}:msg-20200101T000000Z-${'0'.repeat(32)}`;
      await expect(bob.peek(unknown)).rejects.toMatchObject({ code: 'not_found' });
      await expect(bob.peek(ref, { box: 'archive' })).rejects.toMatchObject({ code: 'not_found' });
      expect(await bob.peek(ref, { box: 'inbox' })).toMatchObject({ message_ref: ref });
    });

    it('does not show the mail of others', async () => {
      const sent = await tell('private');
      await expect(world.carol.peek(sent.message_ref)).rejects.toMatchObject({ code: 'not_found' });
      expect((await world.carol.list()).messages).toEqual([]);
    });

    it.runIf(capabilities.read_flag)('marks what is read, once', async () => {
      await tell('to read');
      const { message_ref: ref } = await bobGot('to read');
      expect(await bob.read(ref)).toMatchObject({ read: true, unread: false, box: 'inbox' });
      const after = await bob.version();
      await bob.read(ref);
      expect(await bob.version()).toBe(after);
      expect((await bob.list({ read_state: 'unread' })).messages).toEqual([]);
      expect(subjects((await bob.list({ read_state: 'read' })).messages)).toEqual(['to read']);
      expect(await bob.status()).toMatchObject({ open_count: 1, unread_count: 0 });
      const [again] = await bob.mark({ message_refs: [ref], read: false });
      expect(again).toMatchObject({ read: false, unread: true });
    });

    it.runIf(capabilities.answered_flag)('marks answered and not answered', async () => {
      await tell('question');
      const { message_ref: ref } = await bobGot('question');
      const [marked] = await bob.mark({ message_refs: [ref], answered: true });
      expect(marked).toMatchObject({ answered: true, read: false });
      expect(subjects((await bob.list({ answered_state: 'answered' })).messages)).toEqual(['question']);
      expect((await bob.list({ answered_state: 'unanswered' })).messages).toEqual([]);
      const [cleared] = await bob.mark({ message_refs: [ref], answered: false });
      expect(cleared).toMatchObject({ answered: false });
    });

    it('archives: read, out of the inbox, in the archive', async () => {
      await tell('done');
      await tell('open');
      const { message_ref: ref } = await bobGot('done');
      const [archived] = await bob.archive([ref]);
      expect(archived).toMatchObject({ archived: true, read: true, box: 'archive' });
      expect(subjects((await bob.list()).messages)).toEqual(['open']);
      expect(subjects((await bob.list({ box: 'archive' })).messages)).toEqual(['done']);
      expect(await bob.status()).toMatchObject({ open_count: 1 });
      expect((await bob.archive([archived!.message_ref]))[0]).toMatchObject({ box: 'archive' });
      expect((await bob.list({ box: 'archive' })).message_count).toBe(1);
    });

    it.runIf(capabilities.unarchive)('brings archived mail back to the inbox', async () => {
      await tell('back');
      const { message_ref: ref } = await bobGot('back');
      await bob.archive([ref]);
      const [back] = await bob.mark({ message_refs: [ref], archived: false });
      expect(back).toMatchObject({ archived: false, box: 'inbox', read: true });
    });

    it('refuses archived together with unread', async () => {
      await tell('both');
      const { message_ref: ref } = await bobGot('both');
      const both = { message_refs: [ref], archived: true, read: false };
      await expect(bob.mark(both)).rejects.toMatchObject({ code: 'invalid' });
      expect(await bobGot('both')).toMatchObject({ archived: false });
    });

    it.runIf(capabilities.boxes)('moves into a box of any name and back', async () => {
      await tell('later');
      const { message_ref: ref } = await bobGot('later');
      expect((await bob.move([ref], 'waiting for CI'))[0]).toMatchObject({
        box: 'waiting for CI',
        archived: false,
        read: false,
      });
      expect((await bob.list()).messages).toEqual([]);
      expect(subjects((await bob.list({ box: 'waiting for CI' })).messages)).toEqual(['later']);
      expect((await bob.move([ref], 'inbox'))[0]).toMatchObject({ box: 'inbox' });
    });

    it.runIf(!capabilities.boxes)('answers unsupported to a box it cannot keep', async () => {
      await tell('later');
      const { message_ref: ref } = await bobGot('later');
      await expect(bob.move([ref], 'waiting')).rejects.toMatchObject({ code: 'unsupported' });
      expect(await bobGot('later')).toMatchObject({ box: 'inbox' });
    });

    it.each(['', ' ', '.', '..', 'a/b', 'a\\b', '../inbox', 'a\u0000b', 'a\nb', '.hidden'])(
      'refuses the box name %j',
      async (box) => {
        await tell('stays');
        const { message_ref: ref } = await bobGot('stays');
        await expect(bob.move([ref], box)).rejects.toMatchObject({ code: 'invalid' });
        expect(await bobGot('stays')).toMatchObject({ box: 'inbox' });
      },
    );

    it('changes all of several messages or none', async () => {
      await tell('a');
      await tell('b');
      const refs = [(await bobGot('a')).message_ref, (await bobGot('b')).message_ref];
      const before = await bob.version();
      const unknown = `${bob.transport}:msg-20200101T000000Z-${'0'.repeat(32)}`;
      await expect(bob.archive([refs[0]!, unknown])).rejects.toMatchObject({ code: 'not_found' });
      await expect(bob.archive([])).rejects.toMatchObject({ code: 'invalid' });
      await expect(bob.archive([refs[0]!, refs[0]!])).rejects.toMatchObject({ code: 'invalid' });
      await expect(bob.mark({ message_refs: refs })).rejects.toMatchObject({ code: 'invalid' });
      expect(await bob.version()).toBe(before);
      const archived = await bob.archive(refs);
      expect(archived.map(({ subject, box }) => [subject, box])).toEqual([
        ['a', 'archive'],
        ['b', 'archive'],
      ]);
    });

    it('answers: in the thread, to the sender, and the parent is read and answered', async () => {
      await tell('how far?');
      const { message_ref: ref } = await bobGot('how far?');
      const { message } = await bob.reply({ message_ref: ref, body_content: 'done' });
      await world.settle();
      expect(message.subject).toBe('Re: how far?');
      expect(await bob.peek(ref)).toMatchObject({ read: true, answered: true, archived: false });
      const { messages } = await alice.list({ include_body: true });
      expect(messages).toHaveLength(1);
      expect(messages[0]).toMatchObject({ subject: 'Re: how far?', body_text: 'done', unread: true });
      expect(messages[0]!.in_reply_to_ref).toBe(ref);
      expect(messages[0]!.thread_ref).toBe((await bob.peek(ref)).thread_ref);
      const back = await alice.reply({ message_ref: messages[0]!.message_ref, body_content: 'thanks' });
      expect(back.message.subject).toBe('Re: how far?');
    });

    it('refuses to answer what is not in this mailbox, and sends nothing', async () => {
      const sent = await tell('not yours');
      const reply = { message_ref: sent.message_ref, body_content: 'mine?' };
      await expect(world.carol.reply(reply)).rejects.toMatchObject({ code: 'not_found' });
      await world.settle();
      expect((await alice.list()).messages).toEqual([]);
    });

    it.runIf(capabilities.sent_box)('keeps what was sent in sent, read', async () => {
      const message = await tell('mine');
      expect(message).toMatchObject({ box: 'sent', read: true, body_text: 'about mine' });
      expect(subjects((await alice.list({ box: 'sent' })).messages)).toEqual(['mine']);
      expect((await alice.list()).messages).toEqual([]);
    });

    it.runIf(capabilities.sent_box)('keeps mail to oneself unread in the inbox', async () => {
      const { message } = await bob.send({ to: [bob.address], subject: 'note', body_content: 'me' });
      await world.settle();
      expect(message).toMatchObject({ box: 'inbox', read: false });
      expect(await bobGot('note')).toMatchObject({ unread: true });
    });

    it.runIf(capabilities.cc)(
      'brings one message to all recipients, each once, with flags of their own',
      async () => {
        await alice.send({
          to: [bob.address, world.carol.address, bob.address],
          cc: [bob.address, alice.address],
          subject: 'all',
          body_content: 'x',
        });
        await world.settle();
        const { message_ref: ref } = await bobGot('all');
        await bob.archive([ref]);
        expect((await world.carol.list()).messages).toMatchObject([
          { subject: 'all', unread: true, box: 'inbox' },
        ]);
        expect((await alice.list()).messages).toMatchObject([{ subject: 'all', unread: true }]);
      },
    );

    it('recognises a retry by its key and content, and says so', async () => {
      const draft = { to: [bob.address], subject: 'once', body_content: 'x', idempotency_key: 'k-1' };
      const first = await alice.send(draft);
      const second = await alice.send({ ...draft });
      await world.settle();
      expect(first.duplicate).toBe(false);
      expect(second.duplicate).toBe(true);
      expect(second.message.message_ref).toBe(first.message.message_ref);
      await bobGot('once');
      const third = await alice.send({ ...draft });
      await world.settle();
      expect(third.duplicate).toBe(true);
      await bobGot('once');
    });

    it('recognises a retry after the recipient archived the message', async () => {
      const draft = { to: [bob.address], subject: 'late', body_content: 'x', idempotency_key: 'k-2' };
      await alice.send(draft);
      await world.settle();
      await bob.archive([(await bobGot('late')).message_ref]);
      expect((await alice.send(draft)).duplicate).toBe(true);
      await world.settle();
      expect((await bob.list()).messages).toEqual([]);
      expect((await bob.list({ box: 'archive' })).message_count).toBe(1);
    });

    it('answers a used key with other content with a conflict, and writes nothing', async () => {
      const draft = { to: [bob.address], subject: 'once', body_content: 'x', idempotency_key: 'k-3' };
      await alice.send(draft);
      const other = alice.send({ ...draft, body_content: 'y' });
      await expect(other).rejects.toMatchObject({ code: 'conflict' });
      await world.settle();
      expect((await bobGot('once')).body_text).toBe('x');
    });

    it('takes retries that arrive at the same time as one message', async () => {
      const draft = { to: [bob.address], subject: 'rush', body_content: 'x', idempotency_key: 'k-4' };
      const all = await Promise.all([1, 2, 3, 4].map(() => alice.send({ ...draft })));
      await world.settle();
      expect(all.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
      expect(new Set(all.map(({ message }) => message.message_ref)).size).toBe(1);
      await bobGot('rush');
    });

    it('takes keys of two senders apart', async () => {
      const draft = { to: [bob.address], body_content: 'x', idempotency_key: 'same' };
      await alice.send({ ...draft, subject: 'from alice' });
      const other = await world.carol.send({ ...draft, subject: 'from carol' });
      expect(other.duplicate).toBe(false);
    });

    it('replies once when a reply is retried with its key', async () => {
      await tell('ask');
      const { message_ref: ref } = await bobGot('ask');
      const reply = { message_ref: ref, body_content: 'yes', idempotency_key: 'r-1' };
      expect((await bob.reply(reply)).duplicate).toBe(false);
      expect((await bob.reply(reply)).duplicate).toBe(true);
      await world.settle();
      expect((await alice.list()).message_count).toBe(1);
    });

    it('refuses a recipient nobody registered, with the nearest known, before anything is written', async () => {
      const typo = bob.address.replace('@', 'x@');
      const draft = { to: [bob.address, typo], subject: 'typo', body_content: 'x' };
      const failed = alice.send(draft);
      await expect(failed).rejects.toMatchObject({
        code: expect.stringMatching(/^(not_found|unsupported)$/),
      });
      if (capabilities.cc) {
        await expect(failed).rejects.toMatchObject({ hint: expect.stringContaining(bob.address) });
      }
      await world.settle();
      expect((await bob.list()).messages).toEqual([]);
      if (capabilities.sent_box) expect((await alice.list({ box: 'sent' })).messages).toEqual([]);
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
    ])('refuses %s and writes nothing', async (_, wrong) => {
      const draft = { to: [bob.address], subject: 'fine', body_content: 'x', ...wrong };
      await expect(alice.send(draft)).rejects.toMatchObject({ code: 'invalid' });
      await world.settle();
      expect((await bob.list()).messages).toEqual([]);
    });

    it.each<[string, Record<string, unknown>]>([
      ['a limit of zero', { limit: 0 }],
      ['a broken limit', { limit: 1.5 }],
      ['an unknown read state', { read_state: 'maybe' }],
      ['a time that is none', { since: 'yesterday' }],
      ['a path as box', { box: '../x' }],
      ['an unknown field', { sort: 'asc' }],
    ])('refuses a list with %s', async (_, query) => {
      await expect(bob.list(query)).rejects.toMatchObject({ code: 'invalid' });
    });

    it.runIf(capabilities.post)('takes a note of the operator, who can be answered', async () => {
      const posted = await bob.post({ subject: 'please', body_content: 'stop' });
      expect(posted.message).toMatchObject({ box: 'inbox', unread: true, body_text: 'stop' });
      expect(posted.message.sender.address).toBe('HOUMAO-operator@houmao.localhost');
      const { message } = await bob.reply({ message_ref: posted.message.message_ref, body_content: 'ok' });
      expect(message.to.map(({ address }) => address)).toEqual(['HOUMAO-operator@houmao.localhost']);
    });

    it.runIf(capabilities.post)('refuses to answer a note that takes no replies', async () => {
      const posted = await bob.post({ subject: 'fyi', body_content: 'x', reply_policy: 'none' });
      const reply = bob.reply({ message_ref: posted.message.message_ref, body_content: 'ok' });
      await expect(reply).rejects.toMatchObject({ code: 'unsupported' });
      expect(await bobGot('fyi')).toMatchObject({ answered: false, read: false });
    });

    it.runIf(capabilities.post)('posts once when a post is retried with its key', async () => {
      const note = { subject: 'n', body_content: 'x', idempotency_key: 'p-1' };
      expect((await bob.post(note)).duplicate).toBe(false);
      expect((await bob.post(note)).duplicate).toBe(true);
      expect((await bob.list()).message_count).toBe(1);
      const other = { ...note, reply_policy: 'none' as const };
      await expect(bob.post(other)).rejects.toMatchObject({ code: 'conflict' });
    });

    it.runIf(!capabilities.post)('answers unsupported to a post', async () => {
      const post = bob.post({ subject: 'n', body_content: 'x' });
      await expect(post).rejects.toMatchObject({ code: 'unsupported' });
    });

    it.runIf(capabilities.search)(
      'finds words of subject and body in every box of this mailbox only',
      async () => {
        await tell('weekly report', 'the queue is empty');
        await tell('other', 'nothing to see');
        await bob.archive([(await bobGot('weekly report')).message_ref]);
        expect(subjects((await bob.search({ text: 'queue report' })).messages)).toEqual(['weekly report']);
        expect((await bob.search({ text: 'queue', box: 'inbox' })).messages).toEqual([]);
        expect((await bob.search({ text: 'queue missing' })).messages).toEqual([]);
        expect((await world.carol.search({ text: 'queue' })).messages).toEqual([]);
      },
    );

    it
      .runIf(capabilities.search)
      .each(['"', '""', "'; DROP TABLE messages; --", 'AND OR NOT', '(', '*', 'a:b', '-x'])(
      'searches for %j as text, never as a command',
      async (text) => {
        await tell('plain', 'words');
        const page = await bob.search({ text });
        expect(page.messages).toEqual([]);
      },
    );

    it('changes its version with each change and only then', async () => {
      const versions = [await bob.version()];
      await tell('one');
      versions.push(await bob.version());
      await bob.archive([(await bobGot('one')).message_ref]);
      versions.push(await bob.version());
      expect(new Set(versions).size).toBe(3);
      await bob.list();
      expect(await bob.version()).toBe(versions[2]);
    });

    it('tells watchers of new mail and of changes, made here or elsewhere', async () => {
      let hints = 0;
      let arrived: (() => void) | undefined;
      const stop = await bob.watch((hint) => {
        expect(hint.address).toBe(bob.address);
        hints++;
        arrived?.();
      });
      const nextHint = (): Promise<void> =>
        new Promise((resolve) => {
          arrived = resolve;
        });
      const first = nextHint();
      await tell('wake up');
      await first;
      const second = nextHint();
      const other = await world.anotherBob();
      await other.archive([(await bobGot('wake up')).message_ref]);
      await second;
      await other.close();
      stop();
      const seen = hints;
      await tell('asleep');
      expect(hints).toBe(seen);
    });

    it('shows through a second handle what was written through the first', async () => {
      await tell('shared');
      const other = await world.anotherBob();
      expect(subjects((await other.list()).messages)).toEqual(['shared']);
      await other.archive([(await bobGot('shared')).message_ref]);
      expect((await bob.list()).messages).toEqual([]);
      await other.close();
    });
  });
}
