import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { limit } from '../../domain/index.ts';
import { ANY_FILE, type FileAccess, filesBelow, type Mailbox } from '../index.ts';
import { parseDocument } from './document-text.ts';
import { initMailStore, openMailStore, rootStatus } from './index.ts';
import { at, errorOf, TestRoot } from './world.testing.ts';

let world: TestRoot;
afterEach(() => world.end());

describe('a mailbox root', () => {
  it('a mailbox root is private, has the documented layout and the operator mailbox', () => {
    world = new TestRoot('alice');
    for (const name of ['index.sqlite', 'protocol-version.txt', 'rules/README.md']) {
      expect(fs.statSync(world.path(name)).mode & 0o777, name).toBe(0o600);
    }
    for (const name of ['.', 'messages', 'mailboxes', 'staging', 'locks', 'signals', 'attachments/managed']) {
      expect(fs.statSync(world.path(name)).mode & 0o777, name).toBe(0o700);
    }
    expect(fs.readFileSync(world.path('protocol-version.txt'), 'utf8')).toBe('1\n');
    expect(fs.readdirSync(world.path('mailboxes', at('alice'))).sort()).toEqual([
      'archive',
      'drafts',
      'inbox',
      'sent',
    ]);
    expect(world.store.registrations('HOUMAO-operator@houmao.localhost')).toMatchObject([
      { owner_principal_id: 'HOUMAO-operator', status: 'active', role: 'system_operator' },
    ]);
  });

  it('a mailbox root can be made twice without changing anything', async () => {
    world = new TestRoot('alice');
    const before = world.store.registrations();
    const again = initMailStore({ root: world.root });
    expect(again.registrations()).toEqual(before);
    await again.close();
  });

  it('a mailbox root publishes a message as an immutable file, linked from the boxes by relative links', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'hello');
    await world.store.published();
    const [file] = world.files('messages');
    const document = parseDocument(fs.readFileSync(world.path('messages', file!), 'utf8'), 'x');
    expect(document).toMatchObject({ subject: 'hello', body: 'about hello', thread_id: document.message_id });
    expect(file).toBe(`${document.created_at_utc.slice(0, 10)}/${document.message_id}.md`);
    expect(fs.statSync(world.path('messages', file!)).mode & 0o777).toBe(0o600);
    for (const link of [`mailboxes/${at('bob')}/inbox`, `mailboxes/${at('alice')}/sent`]) {
      const target = fs.readlinkSync(world.path(link, `${document.message_id}.md`));
      expect(target).toBe(`../../../messages/${file}`);
    }
  });

  it('a mailbox root moves the link when the message changes its box', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'hello');
    const bob = world.mailbox('bob');
    const { messages } = await bob.list();
    await bob.move([messages[0]!.message_ref], 'later on');
    await bob.archive([messages[0]!.message_ref]);
    await world.store.published();
    expect(world.files('mailboxes', at('bob'))).toEqual([
      `archive/${messages[0]!.message_ref.replace('filesystem:', '')}.md`,
    ]);
  });

  it('a mailbox root can be moved elsewhere with everything in it', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'hello');
    await world.store.close();
    const elsewhere = path.join(world.directory, 'elsewhere');
    fs.renameSync(world.root, elsewhere);
    const store = openMailStore({ root: elsewhere });
    const bob = store.mailbox(at('bob'));
    expect((await bob.list({ include_body: true })).messages).toMatchObject([{ body_text: 'about hello' }]);
    const inbox = path.join(elsewhere, 'mailboxes', at('bob'), 'inbox');
    expect(fs.readFileSync(path.join(inbox, fs.readdirSync(inbox)[0]!), 'utf8')).toContain('about hello');
    await store.close();
  });

  it('a mailbox root delivers to more than ten recipients in one step', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `agent${i}`);
    world = new TestRoot('alice', ...names);
    await world.mailbox('alice').send({ to: names.map(at), subject: 'all', body_content: 'x' });
    for (const name of names) expect(await world.subjects(name)).toEqual(['all']);
  });

  it.each<[string, string, (root: string) => void]>([
    ['no root', 'not_found', (root) => fs.rmSync(root, { recursive: true })],
    [
      'another protocol',
      'unsupported',
      (root) => fs.writeFileSync(path.join(root, 'protocol-version.txt'), '3\n'),
    ],
    ['the old lock layout', 'unsupported', (root) => fs.mkdirSync(path.join(root, 'locks', 'principals'))],
    [
      'a stranger among the mailboxes',
      'unsupported',
      (root) => fs.mkdirSync(path.join(root, 'mailboxes', 'notes')),
    ],
    [
      'the books of another program',
      'unsupported',
      (root) => fs.rmSync(path.join(root, 'signals'), { recursive: true }),
    ],
    [
      'a damaged index',
      'internal',
      (root) => fs.writeFileSync(path.join(root, 'index.sqlite'), 'x'.repeat(5000)),
    ],
    ['a missing index', 'not_found', (root) => fs.rmSync(path.join(root, 'index.sqlite'))],
  ])(
    'a mailbox root that is %s is refused with what to do, and status reports it',
    async (_, code, spoil) => {
      world = new TestRoot('alice', 'bob');
      await world.send('alice', 'bob', 'hello');
      await world.store.close();
      for (const suffix of ['-wal', '-shm']) fs.rmSync(world.path(`index.sqlite${suffix}`), { force: true });
      spoil(world.root);
      const error = errorOf(() => openMailStore({ root: world.root }));
      expect(error.code).toBe(code);
      expect(error.hint).toBeTruthy();
      expect(await rootStatus(world.root)).toMatchObject({
        structural_state_readable: false,
        error: error.message,
      });
    },
  );

  it('a mailbox root is not made in a directory with other things in it', () => {
    world = new TestRoot();
    const file = world.write('work/notes.txt', 'x');
    const error = errorOf(() => initMailStore({ root: path.dirname(file) }));
    expect(error).toMatchObject({ code: 'conflict' });
    expect(fs.readdirSync(path.dirname(file))).toEqual(['notes.txt']);
  });

  it('a mailbox root keeps delivering when files cannot be written, reports it, and makes them later', async () => {
    world = new TestRoot('alice', 'bob');
    const messages = world.path('messages');
    fs.rmSync(messages, { recursive: true });
    fs.writeFileSync(messages, 'in the way');
    const { message } = await world.send('alice', 'bob', 'hello');
    await world.store.published();
    expect(await world.subjects('bob')).toEqual(['hello']);
    expect((await world.mailbox('bob').status()).warnings.join()).toContain('cannot be written');
    fs.rmSync(messages);
    await world.reopen();
    await world.store.published();
    expect(world.files('messages')).toHaveLength(1);
    expect(world.files('mailboxes', at('bob'))).toEqual([`inbox/${message.message_ref.slice(11)}.md`]);
    expect((await world.mailbox('bob').status()).warnings).toEqual([]);
  });

  it('a mailbox root makes a missing mailbox folder again when mail comes', async () => {
    world = new TestRoot('alice', 'bob');
    fs.rmSync(world.path('mailboxes', at('bob')), { recursive: true });
    await world.send('alice', 'bob', 'hello');
    await world.store.published();
    expect(world.files('mailboxes', at('bob'))).toHaveLength(1);
  });

  it('a mailbox root writes a burst of mail to disk completely', async () => {
    world = new TestRoot('alice', 'bob');
    await Promise.all(Array.from({ length: 300 }, (_, i) => world.send('alice', 'bob', `m${i}`)));
    await world.store.close();
    expect(world.files('messages')).toHaveLength(300);
    expect(world.files('mailboxes', at('bob'))).toHaveLength(300);
    expect(world.files('staging')).toEqual([]);
    await world.reopen();
    expect(world.store.db.all('SELECT * FROM unpublished')).toEqual([]);
  });

  it('a mailbox root writes nothing while nothing happens', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'hello');
    await world.reopen();
    const bob = world.mailbox('bob');
    const changes = () => world.store.db.get('SELECT total_changes() AS n');
    const before = changes();
    await bob.list();
    await bob.count();
    await bob.status();
    await bob.version();
    expect(changes()).toEqual(before);
  });
});

describe('attachments', () => {
  it('attachments are referred to by path, with size and checksum', async () => {
    world = new TestRoot('alice', 'bob');
    const file = world.write('notes.md', 'hello');
    await world.send('alice', 'bob', 'with', { attachments: [{ path: file }] });
    const { messages } = await world.mailbox('bob').list();
    expect(messages[0]!.attachments).toMatchObject([
      {
        kind: 'path_ref',
        media_type: 'text/markdown',
        locator: file,
        size_bytes: 5,
        sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
        label: 'notes.md',
      },
    ]);
  });

  it('attachments are kept as copies when asked, and survive the original', async () => {
    world = new TestRoot('alice', 'bob');
    const file = world.write('big.log', 'x'.repeat(3_000_000));
    await world.send('alice', 'bob', 'with', { attachments: [{ path: file, copy: true, label: 'the log' }] });
    fs.rmSync(file);
    const { messages } = await world.mailbox('bob').list();
    const [attachment] = messages[0]!.attachments;
    expect(attachment).toMatchObject({ kind: 'managed_copy', size_bytes: 3_000_000, label: 'the log' });
    expect(fs.readFileSync(attachment!.locator!, 'utf8')).toHaveLength(3_000_000);
    expect(attachment!.locator).toContain(world.path('attachments', 'managed'));
  });

  it('attachments are taken from the bytes that came with the message, for every sender', async () => {
    world = new TestRoot('alice', 'bob');
    const content_base64 = Buffer.from('hello').toString('base64');
    const attachments = [{ name: '../up/notes.md', content_base64 }];
    await world.mailbox('alice').send({ to: [at('bob')], subject: 's', body_content: 'b', attachments });
    const [message] = (await world.mailbox('bob').list()).messages;
    const [kept] = message!.attachments;
    expect(kept).toMatchObject({
      kind: 'managed_copy',
      size_bytes: 5,
      label: 'notes.md',
      media_type: 'text/markdown',
    });
    expect(fs.readFileSync(kept!.locator!, 'utf8')).toBe('hello');
  });

  it.each<[string, object]>([
    ['neither a path nor bytes', {}],
    ['both', { path: '/x', name: 'x', content_base64: '' }],
    ['bytes without a name', { content_base64: 'eA==' }],
    ['a name with a path', { path: '/x', name: 'x' }],
    ['what is not base64', { name: 'x', content_base64: 'e!' }],
  ])('attachments have a path or bytes, not %s', async (_, typed) => {
    world = new TestRoot('alice', 'bob');
    await expect(world.send('alice', 'bob', 'with', { attachments: [typed] })).rejects.toMatchObject({
      code: 'invalid',
    });
  });

  it('attachments are read by path only where the caller may read', async () => {
    world = new TestRoot('alice', 'bob');
    const own = world.write('own.txt', 'own');
    const inside = filesBelow(path.dirname(own), []);
    const send = (file: string, files?: FileAccess) =>
      world
        .mailbox('alice')
        .send(
          { to: [at('bob')], subject: 's', body_content: 'b', attachments: [{ path: file, copy: true }] },
          files,
        );
    await expect(send(own)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(send('/etc/passwd', inside)).rejects.toMatchObject({ code: 'forbidden' });
    await expect(send(own, filesBelow(undefined, []))).rejects.toMatchObject({ code: 'forbidden' });
    expect(await world.subjects('bob')).toEqual([]);
    expect(world.files('attachments')).toEqual([]);
    await send(own, inside);
    expect(await world.subjects('bob')).toEqual(['s']);
  });

  it('attachments of a sender who is not the owner are limited to what the fleet carries', async () => {
    world = new TestRoot('alice', 'bob');
    const big = world.write('big.bin', '');
    fs.truncateSync(big, limit('attachmentBytes') + 1);
    const draft = { to: [at('bob')], subject: 's', body_content: 'b', attachments: [{ path: big }] };
    const inside = filesBelow(path.dirname(big), []);
    await expect(world.mailbox('alice').send(draft, inside)).rejects.toMatchObject({ code: 'invalid' });
    await world.mailbox('alice').send(draft, ANY_FILE);
  });

  it('attachment names show no character that turns text around, on disk or in the message', async () => {
    world = new TestRoot('alice', 'bob');
    const file = world.write('invoice\u202etxt.exe', 'x');
    await world.send('alice', 'bob', 'with', { attachments: [{ path: file, copy: true }] });
    const { messages } = await world.mailbox('bob').list();
    const [attachment] = messages[0]!.attachments;
    expect(attachment!.label).toBe('invoice_txt.exe');
    expect(path.basename(attachment!.locator!)).toBe('invoice_txt.exe');
  });

  it.each<[string, string, (world: TestRoot) => string]>([
    ['a missing file', 'not_found', (root) => path.join(root.directory, 'nothing')],
    ['a directory', 'invalid', (root) => root.directory],
    ['a device', 'invalid', () => '/dev/null'],
  ])('attachments refuse %s, and nothing is delivered or left behind', async (_, code, pick) => {
    world = new TestRoot('alice', 'bob');
    const good = world.write('good.txt', 'x');
    const attachments = [{ path: good, copy: true }, { path: pick(world) }];
    await expect(world.send('alice', 'bob', 'with', { attachments })).rejects.toMatchObject({ code });
    expect(await world.subjects('bob')).toEqual([]);
    expect(world.files('attachments')).toEqual([]);
  });

  it('attachments leave no copy behind when the message is refused or a duplicate', async () => {
    world = new TestRoot('alice', 'bob');
    const attachments = [{ path: world.write('a.txt', 'x'), copy: true }];
    const more = { attachments, idempotency_key: 'k' };
    await world.send('alice', 'bob', 'with', more);
    expect((await world.send('alice', 'bob', 'with', more)).duplicate).toBe(true);
    await expect(world.send('alice', 'bob', 'other', more)).rejects.toMatchObject({ code: 'conflict' });
    await expect(world.send('alice', 'unknown', 'with', { attachments })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(world.files('attachments')).toHaveLength(1);
  });
});

describe('a recipient that is not there', () => {
  it.each([
    ['bob', at('bob')],
    [at('bop'), at('bob')],
    ['bob@elsewhere.example', at('bob')],
  ])('an unknown recipient written as %s is refused and suggests %s', async (typed, meant) => {
    world = new TestRoot('alice', 'bob');
    const sending = world.mailbox('alice').send({ to: [typed], subject: 's', body_content: '' });
    await expect(sending).rejects.toMatchObject({ code: 'not_found', hint: `did you mean ${meant}?` });
  });

  it('a recipient whose mailbox is inactive is reported as such', async () => {
    world = new TestRoot('alice', 'bob');
    world.store.unregister(at('bob'), 'deactivate');
    await expect(world.send('alice', 'bob', 's')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('inactive'),
    });
  });
});

describe('search', () => {
  it('search finds phrases, prefixes and words of any script, newest first', async () => {
    world = new TestRoot('alice', 'bob');
    const bob = world.mailbox('bob');
    await world.send('alice', 'bob', 'one', { body_content: 'the deploy queue failed' });
    await world.send('alice', 'bob', 'two', { body_content: 'queue the deploy, Привет' });
    const found = async (text: string) => (await bob.search({ text })).messages.map(({ subject }) => subject);
    expect(await found('queue')).toEqual(['two', 'one']);
    expect(await found('"deploy queue"')).toEqual(['one']);
    expect(await found('dep*')).toEqual(['two', 'one']);
    expect(await found('привет')).toEqual(['two']);
    await world.send('alice', 'bob', 'three', { body_content: 'queue again' });
    expect(await found('queue')).toEqual(['three', 'two', 'one']);
  });
});

describe('an index that was replaced while it was open', () => {
  const everyRead: [string, (bob: Mailbox) => Promise<unknown>][] = [
    ['list', (bob) => bob.list()],
    ['count', (bob) => bob.count()],
    ['version', (bob) => bob.version()],
    ['status', (bob) => bob.status()],
    ['search', (bob) => bob.search({ text: 'hello' })],
    ['watch', (bob) => bob.watch(() => {})],
  ];

  it.each(everyRead)(
    'an index that was replaced while it was open is refused to %s, which would be deaf for good',
    async (_, read) => {
      world = new TestRoot('alice', 'bob');
      const bob = world.mailbox('bob');
      await read(bob);
      fs.renameSync(world.root, `${world.root}.away`);
      await expect(read(bob)).rejects.toMatchObject({
        code: 'unavailable',
        facts: { cause: 'index_replaced' },
      });
      fs.cpSync(`${world.root}.away`, world.root, { recursive: true });
      expect(world.store.isReplaced).toBe(true);
      await expect(read(bob)).rejects.toMatchObject({ code: 'unavailable' });
      await world.reopen().catch(() => {});
      await read(world.mailbox('bob'));
    },
  );

  it('an open store does not bring a removed root back as an empty directory', async () => {
    world = new TestRoot('alice', 'bob');
    const notified = new Promise<void>((resolve) => void world.mailbox('bob').watch(() => resolve()));
    fs.rmSync(world.root, { recursive: true });
    await notified;
    expect(fs.existsSync(world.root)).toBe(false);
  });

  it('an open store does not bring part of a moved root back; the next one that opens it publishes waiting mail', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'moved');
    const { messages } = await world.mailbox('bob').list();
    await world.store.published();
    await world.mailbox('bob').move([messages[0]!.message_ref], 'later');
    await world.send('alice', 'bob', 'sent');
    fs.renameSync(world.root, `${world.root}.away`);
    await world.store.published();
    expect(fs.existsSync(world.root)).toBe(false);
    expect(world.store.publisher.trouble).toMatch(/was replaced or moved while it was open/);
    await world.store.close();
    expect(fs.existsSync(world.root)).toBe(false);
    fs.renameSync(`${world.root}.away`, world.root);
    await world.reopen();
    await world.store.published();
    expect(world.files('mailboxes', at('bob')).map((file) => file.split('/')[0])).toEqual(['inbox', 'later']);
    expect(world.files('messages')).toHaveLength(2);
  });
});
