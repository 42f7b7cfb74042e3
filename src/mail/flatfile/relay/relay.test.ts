import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile } from '../../../base/index.ts';
import { FlatFile } from '../flat-file.ts';
import { relay } from './relay.ts';

let root: string;
const file = (name: string, box: string): FlatFile =>
  new FlatFile(path.join(root, name, '.agent', `${box}.md`));
const directories = (...names: string[]): { directory: string }[] =>
  names.map((name) => ({ directory: path.join(root, name) }));

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-relay-'));
  for (const name of ['ana', 'ben', 'cho'])
    fs.mkdirSync(path.join(root, name, '.agent'), { recursive: true });
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

async function write(
  from: string,
  to: string,
  more: Record<string, string> = {},
  body = 'text',
): Promise<void> {
  const fields = new Map(Object.entries({ from: `totebox@${from}`, to, re: 'subject', ...more }));
  const box = file(from, 'outbox');
  await box.prepend({ fields, body });
  await box.idle();
}

const inside = (name: string, box = 'inbox'): Record<string, string | undefined>[] =>
  file(name, box)
    .list({ includeBody: true })
    .entries.map(({ fields, body }) => ({ ...Object.fromEntries(fields), body }));

const idsOf = (name: string): (string | undefined)[] => inside(name).map((each) => each['msg-id']);

describe('relay', () => {
  it('relay carries pending mail to the directory it is addressed to, with its id, and marks it dispatched', async () => {
    await write('ana', 'totebox@ben', { 'msg-id': 'r-1', priority: 'high' }, 'one\n---\ntwo');
    await write('ana', 'ben');
    await write('ana', 'totebox@ben', { 'msg-id': 'r-3', status: 'actioned' });
    const items = await relay(directories('ana', 'ben'), { by: 'test' });
    expect(items.map(({ outcome }) => outcome)).toEqual(['dispatched', 'dispatched']);
    const sent = inside('ana', 'outbox');
    expect(sent.map(({ status, attempts }) => [status, attempts])).toEqual([
      ['actioned', undefined],
      ['dispatched', '1'],
      ['dispatched', '1'],
    ]);
    const got = inside('ben');
    expect(got.map((each) => each['msg-id'])).toEqual([sent[1]!['msg-id'], 'r-1']);
    expect(got[1]).toMatchObject({
      from: 'totebox@ana',
      status: 'pending',
      priority: 'high',
      'relayed-by': 'test',
      'relayed-from': 'ana',
      body: 'one\n---\ntwo',
    });
    expect(got[1]).not.toHaveProperty('attempts');
    expect(await relay(directories('ana', 'ben'))).toEqual([]);
    expect(inside('ben')).toHaveLength(2);
  });

  it('relay keeps the order in which mail was written', async () => {
    for (const n of [1, 2, 3, 4]) await write('ana', 'ben', { 'msg-id': `r-${n}` });
    await relay(directories('ana', 'ben'));
    expect(inside('ben').map((each) => each['msg-id'])).toEqual(['r-4', 'r-3', 'r-2', 'r-1']);
  });

  it('relay delivers to each of several recipients once', async () => {
    await write('ana', 'totebox@ben, cho, task@ben', { 'msg-id': 'r-1' });
    await relay(directories('ana', 'ben', 'cho'));
    expect(inside('ben')).toHaveLength(1);
    expect(inside('cho')).toHaveLength(1);
  });

  it('relay touches nothing outside its directories, and notifies the sender', async () => {
    await write('ana', 'totebox@cho', { 'msg-id': 'r-1' });
    const [item] = await relay(directories('ana', 'ben'));
    expect(item).toMatchObject({ outcome: 'undeliverable', reason: 'no directory for totebox@cho' });
    expect(fs.readdirSync(path.join(root, 'cho', '.agent'))).toEqual([]);
    expect(inside('ana', 'outbox')).toMatchObject([
      { status: 'undeliverable', 'undeliverable-reason': 'no directory for totebox@cho' },
    ]);
    expect(inside('ana')).toMatchObject([
      { from: 'relay@rouse', 'in-reply-to': 'r-1', re: 'undeliverable: r-1' },
    ]);
    await relay(directories('ana', 'ben'));
    expect(inside('ana')).toHaveLength(1);
  });

  it('relay does not believe a file header about who owns a directory', async () => {
    fs.writeFileSync(
      path.join(root, 'ben', '.agent', 'inbox.md'),
      '---\nmailbox: inbox\nowner: totebox@cho\nschema: x\n---\n\n# Inbox\n',
    );
    await write('ana', 'totebox@cho', { 'msg-id': 'r-1' });
    expect(await relay(directories('ana', 'ben'))).toMatchObject([{ outcome: 'undeliverable' }]);
    expect(inside('ben')).toEqual([]);
  });

  it('relay notifies the sender once of each failed try of a corrected message', async () => {
    await write('ana', 'totebox@cho', { 'msg-id': 'r-1' });
    await relay(directories('ana', 'ben'));
    const correct = async (to: string): Promise<void> => {
      const changes = new Map([
        ['to', to],
        ['status', 'pending'],
      ]);
      await file('ana', 'outbox').edit({ name: 'correct', edit: () => changes });
    };
    for (const to of ['totebox@chou', 'totebox@chou']) {
      await correct(to);
      expect(await relay(directories('ana', 'ben'))).toMatchObject([{ outcome: 'undeliverable' }]);
    }
    expect(inside('ana').map(({ body }) => body!.split('.')[0])).toEqual([
      'Your message r-1 to totebox@chou was not delivered: no directory for totebox@chou',
      'Your message r-1 to totebox@cho was not delivered: no directory for totebox@cho',
    ]);
    await correct('totebox@ben');
    expect(await relay(directories('ana', 'ben'))).toMatchObject([{ outcome: 'dispatched' }]);
  });

  it('relay treats an id that the recipient has with other content as undeliverable', async () => {
    await file('ben', 'inbox').prepend({
      fields: new Map([
        ['from', 'x'],
        ['to', 'y'],
        ['re', 'z'],
        ['msg-id', 'r-1'],
      ]),
      body: 'other',
    });
    await write('ana', 'ben', { 'msg-id': 'r-1' });
    expect(await relay(directories('ana', 'ben'))).toMatchObject([
      { outcome: 'undeliverable', reason: expect.stringContaining('other content') },
    ]);
    expect(inside('ben')).toHaveLength(1);
  });

  it('relay leaves mail pending when the recipient is locked, counts the attempt, and delivers it later', async () => {
    await write('ana', 'ben', { 'msg-id': 'r-1' });
    const { paths } = file('ben', 'inbox');
    fs.mkdirSync(paths.side);
    const lock = await lockFile(paths.lock, { timeoutMs: 0 });
    expect(await relay(directories('ana', 'ben'), { timeoutMs: 50 })).toMatchObject([{ outcome: 'waiting' }]);
    lock.release();
    expect(inside('ana', 'outbox')).toMatchObject([{ status: 'pending', attempts: '1' }]);
    expect(await relay(directories('ana', 'ben'))).toMatchObject([{ outcome: 'dispatched' }]);
    expect(inside('ana', 'outbox')).toMatchObject([{ status: 'dispatched', attempts: '2' }]);
    expect(inside('ben')).toHaveLength(1);
  });

  it('relay reports what it would do and changes nothing in a dry run', async () => {
    await write('ana', 'ben', { 'msg-id': 'r-1' });
    await write('ana', 'unknown', { 'msg-id': 'r-2' });
    const before = fs.readFileSync(path.join(root, 'ana', '.agent', 'outbox.md'));
    const items = await relay(directories('ana', 'ben'), { dryRun: true });
    expect(items.map(({ outcome }) => outcome)).toEqual(['dispatched', 'undeliverable']);
    expect(fs.readFileSync(path.join(root, 'ana', '.agent', 'outbox.md')).equals(before)).toBe(true);
    expect(inside('ben')).toEqual([]);
  });

  it.each([
    ['inbox', 'inbox.md'],
    ['archive of the inbox', 'inbox-archive.md'],
    ['directory .agent', ''],
  ])(
    'writes nowhere else when the %s is a link that leads out, and delivers to the others',
    async (_, link) => {
      const [planted, outside] = [path.join(root, 'ben', '.agent', link), path.join(root, 'out')];
      fs.mkdirSync(outside);
      fs.rmSync(planted, { recursive: true, force: true });
      fs.symlinkSync(link === '' ? outside : path.join(outside, 'stolen.md'), planted);
      await write('ana', 'ben, cho', { 'msg-id': 'r-1' });
      await write('cho', 'ana', { 'msg-id': 'r-2' });
      const items = await relay(directories('ana', 'ben', 'cho'));
      expect(items.find(({ msg_id }) => msg_id === 'r-1')).toMatchObject({
        outcome: 'waiting',
        reason: expect.stringContaining('leads outside'),
      });
      expect(items.find(({ msg_id }) => msg_id === 'r-2')).toMatchObject({ outcome: 'dispatched' });
      expect(fs.readdirSync(outside)).toEqual([]);
      expect(idsOf('cho')).toEqual(['r-1']);
      expect(idsOf('ana')).toEqual(['r-2']);
      expect(await relay(directories('ana', 'ben', 'cho'), { dryRun: true })).toContainEqual(
        expect.objectContaining({ msg_id: 'r-1', outcome: 'waiting' }),
      );
      fs.rmSync(planted);
      if (link === '') fs.mkdirSync(planted);
      await relay(directories('ana', 'ben', 'cho'));
      expect([idsOf('ben'), idsOf('cho')]).toEqual([['r-1'], ['r-1']]);
    },
  );

  it('relay reads no outbox that is a link leading outside, reports it, and continues with the others', async () => {
    const foreign = path.join(root, 'foreign.md');
    fs.writeFileSync(foreign, '---\nfrom: x\nto: ana\nre: y\nstatus: pending\n---\n\nsecret\n');
    fs.symlinkSync(foreign, path.join(root, 'ben', '.agent', 'outbox.md'));
    await write('cho', 'ana', { 'msg-id': 'r-1' });
    expect(await relay(directories('ben', 'cho', 'ana'))).toMatchObject([
      { msg_id: null, from: 'ben', outcome: 'waiting', reason: expect.stringContaining(foreign) },
      { msg_id: 'r-1', outcome: 'dispatched' },
    ]);
    expect(idsOf('ana')).toEqual(['r-1']);
    expect(fs.readFileSync(foreign, 'utf8')).toContain('status: pending');
  });

  it('relay knows a directory by the name it was passed, links or not', async () => {
    fs.renameSync(path.join(root, 'ben', '.agent'), path.join(root, 'ben', 'mail'));
    fs.symlinkSync('mail', path.join(root, 'ben', '.agent'));
    fs.symlinkSync('cho', path.join(root, 'alias'));
    await write('ana', 'totebox@ben', { 'msg-id': 'r-1' });
    await write('ana', 'totebox@alias', { 'msg-id': 'r-2' });
    const items = await relay(directories('ana', 'ben', 'alias'));
    expect(items.map(({ outcome }) => outcome)).toEqual(['dispatched', 'dispatched']);
    expect([idsOf('ben'), idsOf('cho')]).toEqual([['r-1'], ['r-2']]);
  });

  it('relay delivers to the other recipients when one has the id with other content', async () => {
    await write('cho', 'ben', { 'msg-id': 'r-1' }, 'first');
    await relay(directories('cho', 'ben'));
    await write('ana', 'ben, cho', { 'msg-id': 'r-1' }, 'second');
    expect(await relay(directories('ana', 'ben', 'cho'))).toMatchObject([{ outcome: 'undeliverable' }]);
    expect(idsOf('cho')).toEqual(['r-1']);
  });

  it('relay refuses two directories of one name, and a directory without .agent', async () => {
    fs.mkdirSync(path.join(root, 'other', 'ana', '.agent'), { recursive: true });
    await expect(relay(directories('ana', 'other/ana'))).rejects.toMatchObject({ code: 'invalid' });
    await expect(relay(directories('nowhere'))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('two relays at once deliver one copy', async () => {
    for (const n of [1, 2, 3]) await write('ana', 'ben', { 'msg-id': `r-${n}` });
    await Promise.all([relay(directories('ana', 'ben')), relay(directories('ana', 'ben'))]);
    expect(inside('ben').map((each) => each['msg-id'])).toEqual(
      expect.arrayContaining(['r-1', 'r-2', 'r-3']),
    );
    expect(inside('ben')).toHaveLength(3);
    expect(inside('ana', 'outbox').every(({ status }) => status === 'dispatched')).toBe(true);
  });
});
