import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { at, livedIn, TestRoot } from '../world.testing.ts';

let world: TestRoot;
afterEach(() => world.end());

describe('cleanup', () => {
  it('cleanup removes inactive and stashed mailboxes of the requested age and nothing else', async () => {
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

  it('cleanup removes copies no message refers to, once they are old', () => {
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
  it('clearing messages removes all mail and keeps mailboxes, after a rehearsal that changes nothing', async () => {
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
  it('export copies accounts, messages, flags and copies into a directory of its own', async () => {
    world = await livedIn();
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

  it('export can keep links, which lead into the export', async () => {
    world = await livedIn();
    await world.reopen();
    const output_dir = path.join(world.directory, 'out');
    const manifest = await world.store.export({ output_dir, all_accounts: true, symlink_mode: 'preserve' });
    for (const link of manifest.preserved_symlinks) {
      expect(fs.realpathSync(path.join(output_dir, link))).toContain(path.join(output_dir, 'messages'));
    }
    expect(manifest.preserved_symlinks).toHaveLength(8);
  });

  it('export records a missing message file and goes on', async () => {
    world = await livedIn();
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
  ])('export refuses %s and leaves nothing behind', async (_, code, wrong) => {
    world = new TestRoot('bob');
    const output_dir = path.join(world.directory, 'out');
    await expect(world.store.export({ output_dir, ...wrong })).rejects.toMatchObject({ code });
    expect(fs.readdirSync(world.directory)).toEqual(['root']);
  });
});
