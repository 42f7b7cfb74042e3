import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { repairMailStore } from '../index.ts';
import { at, livedIn, TestRoot } from '../world.testing.ts';

let world: TestRoot;
afterEach(() => world.end());

async function expectAsLivedIn(): Promise<void> {
  await world.reopen();
  const bob = world.mailbox('bob');
  const show = async (box: string) =>
    (await bob.list({ box })).messages.map(({ subject, read, answered }) => [subject, read, answered]);
  expect(await show('inbox')).toEqual([
    ['read', true, true],
    ['left', false, false],
  ]);
  expect(await show('archive')).toEqual([['archived', true, false]]);
  expect(await show('later')).toEqual([['boxed', false, false]]);
  expect((await world.mailbox('alice').list({ box: 'sent' })).message_count).toBe(4);
  expect((await bob.search({ text: 'archived' })).message_count).toBe(1);
}

const spoilIndex: [string, (root: TestRoot) => void][] = [
  ['whole', () => {}],
  ['lost', (root) => dropIndex(root)],
  [
    'not a database',
    (root) => {
      dropIndex(root);
      fs.writeFileSync(root.path('index.sqlite'), 'nonsense'.repeat(999));
    },
  ],
  ['damaged in the middle', (root) => scribble(root.path('index.sqlite'))],
];

function dropIndex(root: TestRoot): void {
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(root.path(`index.sqlite${suffix}`), { force: true });
}

function scribble(file: string): void {
  const content = fs.readFileSync(file);
  content.fill(0x5a, 4096 * 3, 4096 * 9);
  fs.writeFileSync(file, content);
}

describe('repair', () => {
  it.each(spoilIndex)(
    'with an index that is %s keeps mail, boxes, flags, owners and order',
    async (_, spoil) => {
      world = await livedIn();
      spoil(world);
      const result = await repairMailStore({ root: world.root });
      expect(result).toMatchObject({
        message_count: 4,
        registration_count: 3,
        set_aside_count: 0,
        defaulted_state_count: expect.any(Number),
      });
      await expectAsLivedIn();
      expect(world.store.registrations(at('bob'))).toMatchObject([
        { owner_principal_id: 'bob', status: 'active' },
      ]);
    },
  );

  it('repair keeps the unusable index beside the new one', async () => {
    world = await livedIn();
    spoilIndex[2]![1](world);
    const { backed_up_index_path: backup } = await repairMailStore({ root: world.root });
    expect(backup).toMatch(/index\.sqlite\.unusable-.*\.bak$/);
    expect(fs.existsSync(backup!)).toBe(true);
  });

  it('repair makes an index that other processes can share at once', async () => {
    world = await livedIn();
    dropIndex(world);
    await repairMailStore({ root: world.root });
    await world.reopen();
    await world.mailbox('alice').send({ to: [at('bob')], subject: 's', body_content: '' });
    expect(fs.existsSync(world.path('index.sqlite-shm'))).toBe(true);
    expect(fs.readdirSync(world.root).filter((name) => name.startsWith('index.sqlite.rebuild'))).toEqual([]);
  });

  it('repair restores boxes from the folders if index and journal are both lost', async () => {
    world = await livedIn();
    dropIndex(world);
    fs.rmSync(world.path('state.journal'));
    await repairMailStore({ root: world.root });
    await world.reopen();
    expect((await world.subjects('bob')).sort()).toEqual(['left', 'read']);
    expect(await world.subjects('bob', 'archive')).toEqual(['archived']);
    expect(await world.subjects('bob', 'later')).toEqual(['boxed']);
    expect(await world.subjects('alice')).toEqual([]);
  });

  it('repair sets bad files aside, counts them, and brings in the good ones', async () => {
    world = await livedIn();
    const [file] = world.files('messages');
    const good = fs.readFileSync(world.path('messages', file!), 'utf8');
    const day = path.dirname(file!);
    fs.writeFileSync(world.path('messages', day, 'msg-notes.md'), 'no front matter');
    fs.writeFileSync(world.path('messages', day, `msg-20260101T000000Z-${'b'.repeat(32)}.md`), good);
    fs.writeFileSync(world.path('messages', 'junk.md'), 'no message');
    fs.copyFileSync(world.path('messages', file!), world.path('messages', path.basename(file!)));
    fs.mkdirSync(world.path('messages', '1999-01-01'));
    fs.writeFileSync(world.path('messages', '1999-01-01', path.basename(file!)), good);
    const result = await repairMailStore({ root: world.root });
    expect(result).toMatchObject({ message_count: 4, set_aside_count: 5 });
    expect(fs.readdirSync(world.path('messages')).filter((name) => name.endsWith('.md'))).toEqual([]);
    await expectAsLivedIn();
    expect(await world.mailbox('bob').status()).toMatchObject({
      set_aside_count: 5,
      warnings: [expect.any(String)],
    });
  });

  it('repair writes missing and damaged message files again from the index', async () => {
    world = await livedIn();
    const files = world.files('messages');
    const before = fs.readFileSync(world.path('messages', files[0]!), 'utf8');
    fs.rmSync(world.path('messages', files[0]!));
    fs.writeFileSync(world.path('messages', files[1]!), 'torn');
    fs.appendFileSync(world.path('messages', files[2]!), 'tampered');
    expect(await repairMailStore({ root: world.root })).toMatchObject({
      republished_count: 3,
      set_aside_count: 2,
    });
    expect(fs.readFileSync(world.path('messages', files[0]!), 'utf8')).toBe(before);
    expect(world.files('messages')).toEqual(files);
    await expectAsLivedIn();
  });

  it('repair makes links again and removes stray ones', async () => {
    world = await livedIn();
    const folder = ['mailboxes', at('bob')];
    const before = world.files(...folder);
    const [first] = world.files(...folder, 'inbox');
    fs.rmSync(world.path(...folder, 'inbox', first!));
    fs.symlinkSync('../../../messages/x', world.path(...folder, 'archive', first!));
    fs.writeFileSync(world.path(...folder, 'inbox', 'note.txt'), 'of a person');
    await repairMailStore({ root: world.root });
    expect(world.files(...folder)).toEqual([...before, 'inbox/note.txt'].sort());
  });

  it('repair writes nothing through links in the place of its own files and folders, and puts them aside', async () => {
    world = await livedIn();
    const day = path.dirname(world.files('messages')[0]!);
    const elsewhere = world.path('..', 'elsewhere');
    fs.mkdirSync(elsewhere);
    const precious = path.join(elsewhere, 'precious');
    fs.writeFileSync(precious, 'x');
    fs.utimesSync(precious, 1, 1);
    const plant = (target: string, ...at: string[]): void => {
      fs.rmSync(world.path(...at), { recursive: true });
      fs.symlinkSync(target, world.path(...at));
    };
    plant(elsewhere, 'mailboxes', at('bob'), 'inbox');
    plant(elsewhere, 'messages', day);
    plant(precious, 'state.journal');
    plant(precious, 'signals', at('bob'));
    await world.reopen();
    const { message } = await world.send('alice', 'bob', 'through');
    await world.mailbox('bob').read(message.message_ref);
    await world.store.close();
    expect(fs.readdirSync(elsewhere)).toEqual(['precious']);
    expect(fs.readFileSync(precious, 'utf8')).toBe('x');
    expect(fs.statSync(precious).mtimeMs).toBe(1000);
    expect(await repairMailStore({ root: world.root })).toMatchObject({
      message_count: 5,
      republished_count: 5,
      set_aside_count: 2,
    });
    expect(fs.readdirSync(elsewhere)).toEqual(['precious']);
    expect(world.files('messages')).toHaveLength(5);
    expect(world.files('mailboxes', at('bob'), 'inbox')).toHaveLength(3);
    await world.reopen();
  });

  it('repair adds a message of which only the file is left', async () => {
    world = await livedIn();
    const [file] = world.files('messages');
    const id = `msg-20260101T000000Z-${'c'.repeat(32)}`;
    const text = fs
      .readFileSync(world.path('messages', file!), 'utf8')
      .replace(/msg-\d{8}T\d{6}Z-[0-9a-f]{32}/g, id)
      .replace(/subject: .*/, 'subject: found');
    const day = path.dirname(file!);
    fs.writeFileSync(world.path('messages', day, `${id}.md`), text);
    expect(await repairMailStore({ root: world.root })).toMatchObject({ message_count: 5 });
    await world.reopen();
    expect(await world.subjects('bob')).toContain('found');
  });

  it('repair keeps idempotency keys', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'once', { idempotency_key: 'k' });
    await world.store.close();
    dropIndex(world);
    await repairMailStore({ root: world.root });
    await world.reopen();
    expect((await world.send('alice', 'bob', 'once', { idempotency_key: 'k' })).duplicate).toBe(true);
  });

  it('repair puts what interrupted writers left in staging aside, or removes it', async () => {
    world = await livedIn();
    const leave = () => {
      const file = world.path('staging', 'left.tmp');
      fs.writeFileSync(file, 'x');
      fs.utimesSync(file, 1, 1);
    };
    leave();
    expect(await repairMailStore({ root: world.root })).toMatchObject({
      staging_action: 'quarantine',
      staging_artifact_count: 1,
    });
    leave();
    expect(await repairMailStore({ root: world.root, quarantine_staging: false })).toMatchObject({
      staging_action: 'remove',
      staging_artifact_count: 1,
    });
    expect(world.files('staging').filter((name) => !name.startsWith('quarantine'))).toEqual([]);
  });

  it('repair takes over a root that another program made', async () => {
    world = await livedIn();
    fs.rmSync(world.path('signals'), { recursive: true });
    fs.rmSync(world.path('state.journal'));
    dropIndex(world);
    fs.writeFileSync(world.path('index.sqlite'), '');
    const result = await repairMailStore({ root: world.root });
    expect(result).toMatchObject({ message_count: 4 });
    await world.reopen();
    expect(await world.subjects('bob', 'archive')).toEqual(['archived']);
  });
});
