import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { repairMailStore } from './index.ts';
import { at, TestRoot } from './world.testing.ts';

let world: TestRoot;
afterEach(() => world.end());

/** Alice wrote four messages; bob read one, archived one, put one in a box of his own and left one alone. */
async function livedIn(): Promise<TestRoot> {
  world = new TestRoot('alice', 'bob');
  for (const subject of ['left', 'read', 'archived', 'boxed']) await world.send('alice', 'bob', subject);
  const bob = world.mailbox('bob');
  const ref = new Map((await bob.list()).messages.map(({ subject, message_ref }) => [subject, message_ref]));
  await bob.read(ref.get('read')!);
  await bob.mark({ message_refs: [ref.get('read')!], answered: true });
  await bob.archive([ref.get('archived')!]);
  await bob.move([ref.get('boxed')!], 'later');
  await world.store.close();
  return world;
}

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
      await livedIn();
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

  it('keeps the unusable index beside the new one', async () => {
    await livedIn();
    spoilIndex[2]![1](world);
    const { backed_up_index_path: backup } = await repairMailStore({ root: world.root });
    expect(backup).toMatch(/index\.sqlite\.unusable-.*\.bak$/);
    expect(fs.existsSync(backup!)).toBe(true);
  });

  it('knows boxes from the folders when index and journal are both lost', async () => {
    await livedIn();
    dropIndex(world);
    fs.rmSync(world.path('state.journal'));
    await repairMailStore({ root: world.root });
    await world.reopen();
    expect((await world.subjects('bob')).sort()).toEqual(['left', 'read']);
    expect(await world.subjects('bob', 'archive')).toEqual(['archived']);
    expect(await world.subjects('bob', 'later')).toEqual(['boxed']);
    expect(await world.subjects('alice')).toEqual([]);
  });

  it('sets bad files aside, counts them, and brings in the good ones', async () => {
    await livedIn();
    const [file] = world.files('messages');
    const good = fs.readFileSync(world.path('messages', file!), 'utf8');
    const day = path.dirname(file!);
    fs.writeFileSync(world.path('messages', day, 'msg-notes.md'), 'no front matter');
    fs.writeFileSync(world.path('messages', day, `msg-20260101T000000Z-${'b'.repeat(32)}.md`), good);
    fs.mkdirSync(world.path('messages', '1999-01-01'));
    fs.writeFileSync(world.path('messages', '1999-01-01', path.basename(file!)), good);
    const result = await repairMailStore({ root: world.root });
    expect(result).toMatchObject({ message_count: 4, set_aside_count: 3 });
    await expectAsLivedIn();
    expect(await world.mailbox('bob').status()).toMatchObject({
      set_aside_count: 3,
      warnings: [expect.any(String)],
    });
  });

  it('writes missing and damaged message files again from the index', async () => {
    await livedIn();
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

  it('makes links again and removes stray ones', async () => {
    await livedIn();
    const folder = ['mailboxes', at('bob')];
    const before = world.files(...folder);
    const [first] = world.files(...folder, 'inbox');
    fs.rmSync(world.path(...folder, 'inbox', first!));
    fs.symlinkSync('../../../messages/x', world.path(...folder, 'archive', first!));
    fs.writeFileSync(world.path(...folder, 'inbox', 'note.txt'), 'of a person');
    await repairMailStore({ root: world.root });
    expect(world.files(...folder)).toEqual([...before, 'inbox/note.txt'].sort());
  });

  it('writes nothing through links in the place of its own files and folders, and puts them aside', async () => {
    await livedIn();
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

  it('adds a message whose file is all there is of it', async () => {
    await livedIn();
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

  it('keeps idempotency keys', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'once', { idempotency_key: 'k' });
    await world.store.close();
    dropIndex(world);
    await repairMailStore({ root: world.root });
    await world.reopen();
    expect((await world.send('alice', 'bob', 'once', { idempotency_key: 'k' })).duplicate).toBe(true);
  });

  it('puts what interrupted writers left in staging aside, or removes it', async () => {
    await livedIn();
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

  it('takes over a root that another program made', async () => {
    await livedIn();
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

describe('cleanup', () => {
  it('forgets inactive and stashed mailboxes of the given age and nothing else', async () => {
    world = new TestRoot('alice', 'bob', 'carol');
    await world.send('alice', 'bob', 'kept');
    world.store.register({ address: at('bob'), owner_principal_id: 'eve', mode: 'stash' });
    world.store.unregister(at('carol'), 'deactivate');
    await world.store.published();
    const young = world.store.cleanup({ inactive_older_than_seconds: 60, stashed_older_than_seconds: 60 });
    expect(young.summary).toMatchObject({ planned_count: 0, applied_count: 0 });
    const dry = world.store.cleanup({ dry_run: true });
    expect(dry.summary).toMatchObject({ planned_count: 2, applied_count: 0 });
    expect(world.store.registrations()).toHaveLength(5);
    const done = world.store.cleanup();
    expect(done.summary).toMatchObject({ planned_count: 2, applied_count: 2, blocked_count: 0 });
    expect(world.store.registrations().map(({ address }) => address)).toEqual([
      'HOUMAO-operator@houmao.localhost',
      at('alice'),
      at('bob'),
    ]);
    expect(fs.readdirSync(world.path('mailboxes')).sort()).toEqual([
      'HOUMAO-operator@houmao.localhost',
      at('alice'),
      at('bob'),
    ]);
    expect(world.files('messages')).toHaveLength(1);
  });

  it('removes copies no message refers to, once they are old', () => {
    world = new TestRoot();
    for (const [id, age] of [
      ['att-old', 2 * 3600],
      ['att-new', 0],
    ] as const) {
      fs.mkdirSync(world.path('attachments', 'managed', id));
      const then = Date.now() / 1000 - age;
      fs.utimesSync(world.path('attachments', 'managed', id), then, then);
    }
    world.store.cleanup();
    expect(fs.readdirSync(world.path('attachments', 'managed'))).toEqual(['att-new']);
  });
});

describe('clearing messages', () => {
  it('removes all mail and keeps mailboxes, after a rehearsal that changes nothing', async () => {
    world = new TestRoot('alice', 'bob');
    const outside = world.write('outside.txt', 'x');
    const attachments = [{ path: outside }, { path: outside, copy: true }];
    await world.send('alice', 'bob', 'gone', { attachments });
    const rehearsal = await world.store.clearMessages({ dryRun: true });
    expect(rehearsal).toMatchObject({ dry_run: true, summary: { applied_count: 0 } });
    expect(await world.subjects('bob')).toEqual(['gone']);
    await world.store.clearMessages({ dryRun: false });
    expect(await world.subjects('bob')).toEqual([]);
    expect(world.files('messages')).toEqual([]);
    expect(world.files('mailboxes')).toEqual([]);
    expect(world.files('attachments')).toEqual([]);
    expect(fs.existsSync(outside)).toBe(true);
    await world.send('alice', 'bob', 'new');
    expect((await world.mailbox('bob').search({ text: 'new' })).message_count).toBe(1);
  });
});

describe('export', () => {
  it('copies accounts, messages, flags and copies into a directory of its own', async () => {
    await livedIn();
    await world.reopen();
    const output_dir = path.join(world.directory, 'out');
    const manifest = await world.store.export({ output_dir, addresses: [at('bob')] });
    expect(manifest).toMatchObject({ schema_version: 1, symlink_mode: 'materialize', blocked_artifacts: [] });
    expect(manifest.messages).toHaveLength(4);
    expect(manifest.accounts).toMatchObject([{ address: at('bob') }]);
    const all = fs.readdirSync(output_dir, { recursive: true, withFileTypes: true });
    expect(all.filter((entry) => entry.isSymbolicLink())).toEqual([]);
    expect(JSON.parse(fs.readFileSync(path.join(output_dir, 'manifest.json'), 'utf8'))).toEqual(manifest);
    const archive = manifest.projections.find(({ box }) => box === 'archive')!;
    expect(fs.readFileSync(path.join(output_dir, String(archive['path'])), 'utf8')).toContain(
      'about archived',
    );
  });

  it('can keep links, which lead into the export', async () => {
    await livedIn();
    await world.reopen();
    const output_dir = path.join(world.directory, 'out');
    const manifest = await world.store.export({ output_dir, all_accounts: true, symlink_mode: 'preserve' });
    for (const link of manifest.preserved_symlinks) {
      expect(fs.realpathSync(path.join(output_dir, link))).toContain(path.join(output_dir, 'messages'));
    }
    expect(manifest.preserved_symlinks).toHaveLength(8);
  });

  it('records a missing message file and goes on', async () => {
    await livedIn();
    await world.reopen();
    fs.rmSync(world.path('messages', world.files('messages')[0]!));
    const manifest = await world.store.export({
      output_dir: path.join(world.directory, 'out'),
      all_accounts: true,
    });
    expect(manifest.messages).toHaveLength(3);
    expect(manifest.blocked_artifacts.length).toBeGreaterThan(0);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['an existing directory', 'conflict', { output_dir: '/', all_accounts: true }],
    ['no selection', 'invalid', {}],
    ['both selections', 'invalid', { all_accounts: true, addresses: [at('bob')] }],
    ['an address twice', 'invalid', { addresses: [at('bob'), at('bob')] }],
    ['an unknown address', 'not_found', { addresses: [at('bop')] }],
  ])('refuses %s and leaves nothing behind', async (_, code, wrong) => {
    world = new TestRoot('bob');
    const output_dir = path.join(world.directory, 'out');
    await expect(world.store.export({ output_dir, ...wrong })).rejects.toMatchObject({ code });
    expect(fs.readdirSync(world.directory)).toEqual(['root']);
  });
});
