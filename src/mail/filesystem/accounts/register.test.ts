import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { at, errorOf, TestRoot } from '../world.testing.ts';

let world: TestRoot;
afterEach(() => world.end());

describe('registering a mailbox', () => {
  it('registering a mailbox again with the same owner keeps it and refreshes its description', () => {
    world = new TestRoot('bob');
    const again = world.store.register({
      address: at('bob'),
      owner_principal_id: 'bob',
      display_name: 'Bob B.',
    });
    expect(again).toMatchObject({ ok: true, reused_existing: true, status: 'active' });
    expect(world.store.registrations(at('bob'))).toMatchObject([{ display_name: 'Bob B.' }]);
  });

  it('registering a mailbox of another owner is refused in safe mode and changes nothing', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'mine');
    const error = errorOf(() => world.store.register({ address: at('bob'), owner_principal_id: 'eve' }));
    expect(error).toMatchObject({ code: 'conflict', hint: expect.stringContaining('stash') });
    expect(await world.subjects('bob')).toEqual(['mine']);
  });

  it('registering a mailbox under another spelling of its domain is the same mailbox, not a second one', async () => {
    world = new TestRoot('alice', 'bob');
    const twin = 'bob@HOUMAO.LocalHost';
    const error = errorOf(() => world.store.register({ address: twin, owner_principal_id: 'eve' }));
    expect(error).toMatchObject({ code: 'conflict' });
    const alice = world.store.mailbox(at('alice'));
    await alice.send({ to: [twin], subject: 'either way', body_content: 'x' });
    expect(await world.subjects('bob')).toEqual(['either way']);
    expect(world.store.mailbox(twin).address).toBe(at('bob'));
  });

  it('registering by force replaces the old mailbox, whose mail the new owner does not see', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'old');
    await world.store.published();
    const old = world.store.registrations(at('bob'))[0]!;
    const result = world.store.register({ address: at('bob'), owner_principal_id: 'eve', mode: 'force' });
    expect(result).toMatchObject({ mode: 'force', replaced_registration_id: old.registration_id });
    expect(await world.subjects('bob')).toEqual([]);
    expect(world.files('mailboxes', at('bob'))).toEqual([]);
    expect(world.store.registrations(at('bob'))).toMatchObject([
      { owner_principal_id: 'eve', status: 'active' },
      {
        owner_principal_id: 'bob',
        status: 'inactive',
        replaced_by_registration_id: result.active_registration_id,
      },
    ]);
    expect(world.files('messages')).toHaveLength(1);
  });

  it('registering with stash puts the old mailbox aside with its links', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'old');
    await world.store.published();
    const result = world.store.register({ address: at('bob'), owner_principal_id: 'eve', mode: 'stash' });
    expect(result.stashed_mailbox_path).toMatch(/^mailboxes\/bob@houmao\.localhost--[0-9a-f]{32}$/);
    const inbox = world.path(result.stashed_mailbox_path!, 'inbox');
    expect(fs.readFileSync(path.join(inbox, fs.readdirSync(inbox)[0]!), 'utf8')).toContain('about old');
    expect(await world.subjects('bob')).toEqual([]);
    await world.send('alice', 'bob', 'new');
    expect(await world.subjects('bob')).toEqual(['new']);
  });

  it('registering a mailbox brings mail that is still being published to where its mailbox went', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'old');
    const result = world.store.register({ address: at('bob'), owner_principal_id: 'eve', mode: 'stash' });
    await world.store.published();
    expect(world.files('mailboxes', at('bob'))).toEqual([]);
    expect(world.files(result.stashed_mailbox_path!)).toHaveLength(1);
  });

  it('an address has one active registration, even if two register it at once', () => {
    world = new TestRoot('bob');
    const insert = `INSERT INTO mailbox_registrations (registration_id, address, owner_principal_id, status, mailbox_kind,
      mailbox_path, mailbox_entry_path, created_at_utc) VALUES ('x', ?, 'eve', 'active', 'in_root', 'p', 'p', '')`;
    expect(errorOf(() => world.store.db.run(insert, [at('bob')]))).toMatchObject({ code: 'conflict' });
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['a name that is no address', 'invalid', { address: 'bob' }],
    ['a path', 'invalid', { address: '../x@houmao.localhost' }],
    ['a stash name', 'invalid', { address: `bob@x--${'a'.repeat(32)}` }],
    ['a reserved name', 'forbidden', { address: 'HOUMAO-boss@houmao.localhost' }],
    ['a reserved name in other letters', 'forbidden', { address: 'houmao-Operator@houmao.localhost' }],
    ['the operator', 'forbidden', { address: 'HOUMAO-operator@houmao.localhost' }],
    ['a blank owner', 'invalid', { owner_principal_id: ' ' }],
    ['an owner of two lines', 'invalid', { owner_principal_id: 'a\nb' }],
    ['a relative private directory', 'invalid', { mailbox_kind: 'symlink', mailbox_path: 'x' }],
    ['no private directory', 'invalid', { mailbox_kind: 'symlink' }],
  ])('registering a mailbox refuses %s', (_, code, wrong) => {
    world = new TestRoot();
    const before = world.store.registrations();
    const request = { address: at('new'), owner_principal_id: 'new', ...wrong };
    expect(errorOf(() => world.store.register(request))).toMatchObject({ code });
    expect(world.store.registrations()).toEqual(before);
  });

  it('registering a mailbox refuses to take an unknown folder unless forced', () => {
    world = new TestRoot();
    const folder = world.path('mailboxes', at('bob'));
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'diary.txt'), 'mine');
    const request = { address: at('bob'), owner_principal_id: 'bob' };
    expect(errorOf(() => world.store.register(request))).toMatchObject({ code: 'conflict' });
    expect(fs.readFileSync(path.join(folder, 'diary.txt'), 'utf8')).toBe('mine');
    const { stashed_mailbox_path: aside } = world.store.register({ ...request, mode: 'stash' });
    expect(fs.readFileSync(world.path(aside!, 'diary.txt'), 'utf8')).toBe('mine');
  });
});

describe('a mailbox in a private directory', () => {
  const register = (name: string, mailbox_path: string, mode?: 'safe') =>
    world.store.register({
      address: at(name),
      owner_principal_id: name,
      mailbox_kind: 'symlink',
      mailbox_path,
      ...(mode ? { mode } : {}),
    });

  it('a mailbox in a private directory is linked from the root, and its boxes link back', async () => {
    world = new TestRoot('alice');
    const home = path.join(world.directory, 'private', 'bob');
    register('bob', home);
    expect(fs.readlinkSync(world.path('mailboxes', at('bob')))).toBe(home);
    await world.send('alice', 'bob', 'hello');
    await world.store.published();
    const [link] = fs.readdirSync(path.join(home, 'inbox'));
    expect(fs.readFileSync(path.join(home, 'inbox', link!), 'utf8')).toContain('about hello');
    expect(path.isAbsolute(fs.readlinkSync(path.join(home, 'inbox', link!)))).toBe(false);
  });

  it('a mailbox in a private directory gets its links made again after the root was moved', async () => {
    world = new TestRoot('alice');
    const home = path.join(world.directory, 'private', 'bob');
    register('bob', home);
    await world.send('alice', 'bob', 'hello');
    await world.store.close();
    const elsewhere = path.join(world.directory, 'deep', 'er', 'elsewhere');
    fs.mkdirSync(path.dirname(elsewhere), { recursive: true });
    fs.renameSync(world.root, elsewhere);
    await world.reopen(elsewhere);
    await world.store.published();
    const [link] = fs.readdirSync(path.join(home, 'inbox'));
    expect(fs.readFileSync(path.join(home, 'inbox', link!), 'utf8')).toContain('about hello');
  });

  it('a mailbox in a private directory must be outside the root and belong to no other mailbox', () => {
    world = new TestRoot();
    const home = path.join(world.directory, 'private');
    expect(errorOf(() => register('bob', world.path('mailboxes', 'x')))).toMatchObject({ code: 'invalid' });
    expect(errorOf(() => register('bob', world.directory))).toMatchObject({ code: 'invalid' });
    fs.symlinkSync(world.root, path.join(world.directory, 'disguised'));
    const disguised = path.join(world.directory, 'disguised', 'x');
    expect(errorOf(() => register('bob', disguised))).toMatchObject({ code: 'invalid' });
    register('bob', home);
    expect(errorOf(() => register('eve', home))).toMatchObject({ code: 'conflict' });
  });

  it('a mailbox in a private directory is unlinked by purge, and the directory stays', () => {
    world = new TestRoot();
    const home = path.join(world.directory, 'private');
    register('bob', home);
    world.store.unregister(at('bob'), 'purge');
    expect(fs.existsSync(world.path('mailboxes', at('bob')))).toBe(false);
    expect(fs.existsSync(path.join(home, 'inbox'))).toBe(true);
  });
});

describe('unregistering a mailbox', () => {
  it('deactivating a mailbox keeps everything, and registering it again brings it back', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'kept');
    const bob = world.mailbox('bob');
    await bob.archive([(await bob.list()).messages[0]!.message_ref]);
    const result = world.store.unregister(at('bob'), 'deactivate');
    expect(result).toMatchObject({
      resulting_status: 'inactive',
      target_registration_id: expect.any(String),
    });
    await expect(bob.list()).rejects.toMatchObject({ code: 'not_found' });
    const back = world.store.register({ address: at('bob'), owner_principal_id: 'bob' });
    expect(back.reused_existing).toBe(true);
    expect(await world.subjects('bob', 'archive')).toEqual(['kept']);
  });

  it('purging a mailbox forgets it and keeps the messages of others', async () => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'kept');
    expect(world.store.unregister(at('bob'), 'purge')).toMatchObject({ resulting_status: 'purged' });
    expect(world.store.registrations(at('bob'))).toEqual([]);
    expect(fs.existsSync(world.path('mailboxes', at('bob')))).toBe(false);
    expect(await world.subjects('alice', 'sent')).toEqual(['kept']);
  });

  it('unregistering a mailbox is refused for the operator and for an unknown address', () => {
    world = new TestRoot('bob');
    const operator = 'HOUMAO-operator@houmao.localhost';
    expect(errorOf(() => world.store.unregister(operator, 'purge'))).toMatchObject({ code: 'forbidden' });
    expect(errorOf(() => world.store.unregister(at('bop'), 'purge'))).toMatchObject({
      code: 'not_found',
      hint: `did you mean ${at('bob')}?`,
    });
  });
});
