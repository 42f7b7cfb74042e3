import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../base/fake-clock.ts';
import { FlatFile } from '../flat-file.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { Bell } from './bell.ts';
import { Slot } from './slot.ts';
import { Spool } from './spool.ts';

let root: string;
let box: FlatFile;
const spooled = (name: string): string => path.join(box.paths.spool, name);

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-'));
  fs.mkdirSync(path.join(root, '.agent'));
  box = new FlatFile(path.join(root, '.agent', 'inbox.md'));
  fs.mkdirSync(box.paths.spool, { recursive: true });
});
afterEach(() => fs.rmSync(root, { recursive: true, force: true }));

const message = (id: string): FlatMessage => ({
  fields: new Map([
    ['from', 'a'],
    ['to', 'b'],
    ['re', 'c'],
    ['msg-id', id],
  ]),
  body: 'x',
});

/** As a writer leaves it that waits for the lock. */
function leave(slot: string, id: string): void {
  const fields = [...message(id).fields, ['created', '2026-01-01T00:00:00Z'], ['status', 'pending']];
  fs.writeFileSync(spooled(`${slot}.msg`), `${JSON.stringify({ messages: [{ fields, body: 'x' }] })}\n`);
}

const ids = (): string[] =>
  box
    .list()
    .entries.map(({ ref }) => ref)
    .sort();

const JUNK: [string, (file: string) => void][] = [
  ['a link to a file', (file) => fs.symlinkSync('/etc/hostname', file)],
  ['a dangling link', (file) => fs.symlinkSync('/nonexistent/x', file)],
  ['a directory', (file) => fs.mkdirSync(path.join(file, 'full'), { recursive: true })],
  ['a pipe', (file) => void execFileSync('mkfifo', [file])],
  ['an empty file', (file) => fs.writeFileSync(file, '')],
  ['a file that is not JSON', (file) => fs.writeFileSync(file, 'garbage\n')],
  ['JSON of another form', (file) => fs.writeFileSync(file, '{"messages":[null]}\n')],
  [
    'a forged envelope',
    (file) => fs.writeFileSync(file, '{"messages":[{"fields":[["from","a\\nb"]],"body":""}]}\n'),
  ],
];

describe('messages that wait in the spool', () => {
  it('are committed by whoever holds the lock, and answered', async () => {
    leave('other', 'theirs');
    await box.prepend(message('ours'));
    await box.idle();
    expect(ids()).toEqual(['ours', 'theirs']);
    expect(fs.existsSync(spooled('other.done'))).toBe(true);
  });

  it.each(JUNK)('are never lost beside %s', async (_, plant) => {
    leave('aaa', 'first');
    plant(spooled('mmm.msg'));
    plant(spooled('nnn.1-abc.claim'));
    leave('zzz', 'last');
    expect(await box.prepend(message('ours'))).toMatchObject({ result: 'prepended' });
    expect(await box.prepend(message('more'))).toMatchObject({ result: 'prepended' });
    await box.idle();
    expect(ids()).toEqual(['first', 'last', 'more', 'ours']);
    expect(fs.readdirSync(box.paths.spool).filter((name) => /\.(msg|claim)$/.test(name))).toEqual([]);
  });

  it.each(JUNK)('are committed with %s in the place of the bell', async (_, plant) => {
    plant(spooled('holder.bell'));
    leave('other', 'theirs');
    const ours = ['one', 'two', 'three'];
    await Promise.all(ours.map((id) => box.prepend(message(id))));
    leave('other', 'again');
    await box.prepend(message('four'));
    await box.idle();
    expect(ids()).toEqual(['again', 'four', 'one', 'theirs', 'three', 'two']);
  });

  it('stop nobody when they cannot be answered', async () => {
    leave('blocked', 'theirs');
    fs.mkdirSync(spooled('blocked.done'));
    for (const id of ['one', 'two']) {
      expect(await box.prepend(message(id))).toMatchObject({ result: 'prepended' });
    }
    expect(ids()).toEqual(['one', 'theirs', 'two']);
  });

  it('go back to waiting when their commit failed and they can be neither told nor given back', async () => {
    leave('stuck', 'theirs');
    const failing = new FlatFile(box.paths.mailbox, {
      step(name) {
        if (name !== 'flatfile.prepend.written') return;
        // The slot cannot be noted, answered or given back: everything that has these names is in the way.
        const claim = fs.readdirSync(box.paths.spool).find((each) => each.endsWith('.claim'))!;
        fs.renameSync(spooled(claim), spooled('kept'));
        fs.mkdirSync(spooled(claim));
        for (const ending of ['msg', 'answer']) fs.writeFileSync(spooled(`stuck.${ending}`), '');
        throw new Error('no room');
      },
    });
    await expect(failing.prepend(message('ours'))).rejects.toThrow('no room');
    const claim = fs.readdirSync(box.paths.spool).find((name) => name.endsWith('.claim'))!;
    for (const name of [claim, 'stuck.msg', 'stuck.answer']) fs.rmSync(spooled(name), { recursive: true });
    fs.renameSync(spooled('kept'), spooled(claim));
    await box.prepend(message('later'));
    await box.idle();
    expect(ids()).toEqual(['later', 'theirs']);
  });
});

describe('the bells', () => {
  it('wake one of those who still wait when the holder goes', async () => {
    const bell = new Bell(box.paths);
    fs.writeFileSync(spooled('aaa.msg'), 'garbage\n');
    fs.writeFileSync(spooled('bbb.msg'), `${JSON.stringify({ bell: '1-00000000.bell', messages: [] })}\n`);
    fs.writeFileSync(spooled('other.msg'), `${JSON.stringify({ bell: bell.hang(), messages: [] })}\n`);
    new Spool(box.paths).handOver();
    // This clock stands still: only a ring ends the wait.
    await bell.heard(new FakeClock(), 1);
    bell.takeDown();
  });

  it('tell a writer whether anybody holds the lock and heard of its message', () => {
    const slot = new Slot(box.paths);
    expect(slot.leave([message('one')])).toBe(false);
    slot.withdraw();
    const holder = new Bell(box.paths, 'holder');
    holder.hang();
    expect(slot.leave([message('one')])).toBe(true);
    holder.takeDown();
    slot.withdraw();
  });
});
