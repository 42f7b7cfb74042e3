import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { repairMailStore, rootStatus } from '../index.ts';
import { at, errorOf, livedIn, TestRoot } from '../world.testing.ts';

let world: TestRoot;
afterEach(() => world.end());

const OWN = [
  'messages',
  'mailboxes',
  'attachments',
  'attachments/managed',
  'staging',
  'staging/quarantine',
  'locks',
  'signals',
  'rules',
  'rules/protocols',
];

/** Moves a directory of the root away and plants a link to an empty outside directory in its place. */
function plant(directory: string): string {
  const elsewhere = world.path('..', 'elsewhere');
  fs.mkdirSync(elsewhere);
  const there = world.path(directory);
  if (fs.existsSync(there)) fs.renameSync(there, `${elsewhere}.real`);
  fs.symlinkSync(elsewhere, there);
  return elsewhere;
}

describe('a link where a directory of the root belongs', () => {
  it.each(OWN)('%s: opening is refused, status reports it, repair sets it aside', async (directory) => {
    world = await livedIn();
    const elsewhere = plant(directory);
    await expect(world.reopen()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(world.path(directory)),
      hint: expect.stringContaining('rouse mailbox repair'),
    });
    expect(await rootStatus(world.root)).toMatchObject({
      error: expect.stringContaining('link'),
      hint: expect.stringContaining('rouse mailbox repair'),
    });
    expect(await repairMailStore({ root: world.root })).toMatchObject({
      message_count: 4,
      set_aside_count: 1,
      set_aside_paths: [expect.stringContaining(`/staging/quarantine/`)],
    });
    expect(fs.lstatSync(world.path(directory)).isDirectory()).toBe(true);
    await world.reopen();
    await world.send('alice', 'bob', 'after', {
      attachments: [{ path: world.write('note.txt', 'x'), copy: true }],
    });
    await world.store.close();
    expect(fs.readdirSync(elsewhere)).toEqual([]);
    expect(world.files('messages')).toHaveLength(5);
    expect(world.files('mailboxes', at('bob'))).toHaveLength(5);
  });

  it.each(OWN)('%s, planted while the root is open: nothing is written through it', async (directory) => {
    world = new TestRoot('alice', 'bob');
    await world.send('alice', 'bob', 'before');
    await world.store.published();
    const elsewhere = plant(directory);
    const note = world.write('note.txt', 'x');
    await world
      .send('alice', 'bob', 'through', { attachments: [{ path: note, copy: true }] })
      .catch(() => {});
    await world.send('alice', 'bob', 'through').catch(() => {});
    await world.store.close().catch(() => {});
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  });

  it('a mailbox in the root: reported by status, not written through, set aside', async () => {
    world = await livedIn();
    const elsewhere = plant(`mailboxes/${at('bob')}`);
    await world.reopen();
    await world.send('alice', 'bob', 'through');
    expect(
      errorOf(() => world.store.register({ address: at('bob'), owner_principal_id: 'bob' })),
    ).toMatchObject({ code: 'conflict' });
    await world.store.close();
    expect(fs.readdirSync(elsewhere)).toEqual([]);
    expect((await rootStatus(world.root)).warnings).toContainEqual(expect.stringContaining(at('bob')));
    expect(await repairMailStore({ root: world.root })).toMatchObject({ set_aside_count: 1 });
    expect(world.files('mailboxes', at('bob'))).toHaveLength(5);
    expect(fs.readdirSync(elsewhere)).toEqual([]);
  });

  it('a private mailbox directory keeps its entry when mailboxes/ itself was a link', async () => {
    world = new TestRoot('alice');
    const home = path.join(world.directory, 'private');
    world.store.register({
      address: at('bob'),
      owner_principal_id: 'bob',
      mailbox_kind: 'symlink',
      mailbox_path: home,
    });
    await world.store.close();
    plant('mailboxes');
    await repairMailStore({ root: world.root });
    expect(fs.readlinkSync(world.path('mailboxes', at('bob')))).toBe(home);
  });
});
