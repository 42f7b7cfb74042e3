import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { FlatFile } from './flat-file.ts';
import { writeBlock } from './format/block.ts';
import { note, TestAgent } from './world.testing.ts';

let world: TestAgent;
let agent: string;
let inbox: string;
let box: TestAgent['box'];
let text: TestAgent['text'];
let refs: TestAgent['refs'];
let send: TestAgent['send'];

beforeEach(() => {
  world = new TestAgent();
  ({ agent, inbox, box, text, refs, send } = world);
});
afterEach(() => world.end());

describe('prepend', () => {
  it('prepend makes a mailbox with a file header, and puts the newest on top below it', async () => {
    await send('one');
    await send('two');
    expect(text()).toMatch(
      /^---\nmailbox: inbox\nschema: foundry-mailbox-v1\n---\n\n# Inbox\n\n---\nfrom: a@x\n/,
    );
    expect(refs()).toEqual(['two', 'one']);
  });

  it.each([
    ['nothing', ''],
    ['a title', '# Inbox\n'],
    ['a header without a blank line after it', '---\nmailbox: inbox\nowner: me\n---\n# Inbox'],
    [
      'a byte order mark and a header',
      '\ufeff---\nmailbox: inbox\nschema: foundry-mailbox-v1\n---\n\n# Inbox\n\n',
    ],
    ['a byte order mark and a message', `\ufeff${writeBlock(note('old'))}`],
    ['a message without a final newline', writeBlock(note('old')).trimEnd()],
    [
      'CRLF lines',
      '---\r\nmailbox: inbox\r\nschema: x\r\n---\r\n\r\n# Inbox\r\n\r\n---\r\nfrom: a\r\nto: b\r\nre: c\r\nmsg-id: old\r\n---\r\n\r\nx\r\n',
    ],
    ['a header below messages', `${writeBlock(note('old'))}---\nmailbox: inbox\nschema: x\n---\n\n# Inbox\n`],
  ])('prepend into a file with %s keeps every byte', async (_, before) => {
    fs.writeFileSync(inbox, before);
    const old = refs();
    await send('new');
    expect(refs()).toEqual(['new', ...old]);
    const block = /---\nfrom: a@x\n[\s\S]*?\nmsg-id: new\n---\n\nbody\n\n/;
    const rest = text().replace(block, '');
    const joints = (all: string): string => all.replace(/\n+/g, '\n').trimEnd();
    expect(joints(rest)).toBe(joints(before));
    expect(text().startsWith('\ufeff')).toBe(before.startsWith('\ufeff'));
  });

  it('prepend fills in created and status, and an id only when asked', async () => {
    const timed = new FlatFile(inbox, {
      clock: { ...systemClock, now: () => new Date('2026-01-01T00:00:00Z') },
    });
    await timed.prepend(note());
    expect(timed.list().entries[0]?.fields).toEqual(
      new Map([
        ['from', 'a@x'],
        ['to', 'b@x'],
        ['re', 'subject'],
        ['created', '2026-01-01T00:00:00Z'],
        ['status', 'pending'],
      ]),
    );
    const { msg_id } = await timed.prepend(note(), { generateId: true });
    expect(msg_id).toMatch(/^msg-[0-9a-f-]{36}$/);
    expect(refs()[0]).toBe(msg_id);
  });

  it('prepend recognises a retry by id and content; time, status and line ends are not content', async () => {
    expect(await send('m', 'one\ntwo', { created: '2026-01-01' })).toBe('prepended');
    expect(await send('m', 'one\ntwo', { created: '2026-02-02' })).toBe('duplicate');
    expect(await send('m', 'one\r\ntwo\r\n', { status: 'in-progress' })).toBe('duplicate');
    expect(refs()).toEqual(['m']);
  });

  it.each([
    ['another body', note('m', 'other')],
    ['another sender', note('m', 'body', { from: 'eve@x' })],
    ['another subject', note('m', 'body', { re: 'else' })],
  ])('prepend refuses a used id with %s and leaves the file alone', async (_, other) => {
    await send('m');
    const before = text();
    await expect(box.prepend(other)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('msg-id m'),
    });
    expect(text()).toBe(before);
  });

  it('prepend finds a duplicate anywhere: on top, 19 down, 10,000 down, far beyond 200 lines', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => writeBlock(note(`old-${n}`)));
    fs.writeFileSync(inbox, many.join(''));
    for (const id of ['old-0', 'old-18', 'old-999', 'old-9999']) expect(await send(id)).toBe('duplicate');
    expect(await send('old-10000')).toBe('prepended');
    await expect(send('old-5000', 'other')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('prepend finds an archived duplicate; a removed message counts as new', async () => {
    await send('kept');
    await send('moved');
    await send('deleted');
    await box.archive({ refs: ['moved'] });
    fs.writeFileSync(inbox, text().replace(/---\nfrom: a@x\n[\s\S]*?msg-id: deleted\n---\n\nbody\n\n/, ''));
    expect(refs()).toEqual(['kept']);
    expect(await send('moved')).toBe('duplicate');
    expect(await send('deleted')).toBe('prepended');
    expect(await send('deleted')).toBe('duplicate');
    expect(refs()).toEqual(['deleted', 'kept']);
  });

  it('prepend removes the list of ids that 0.1.0 kept beside the lock', async () => {
    await send('m');
    await box.idle();
    const other = path.join(agent, 'outbox.md');
    const list = path.join(agent, 'locks', 'outbox.md.ids');
    fs.writeFileSync(list, 'rouse-mailfile-ids 1           10\nnew\t0123456789abcdef\t20000\n');
    expect((await new FlatFile(other).prepend(note('new'))).result).toBe('prepended');
    expect(fs.existsSync(list)).toBe(false);
    const target = path.join(agent, 'precious');
    fs.writeFileSync(target, 'precious');
    fs.symlinkSync(target, path.join(agent, 'locks', 'third.md.ids'));
    await new FlatFile(path.join(agent, 'third.md')).prepend(note('new'));
    expect(fs.readFileSync(target, 'utf8')).toBe('precious');
  });

  it('prepend finds an id however it is quoted in the file', async () => {
    const block = (id: string): string =>
      `---\nfrom: a@x\nto: b@x\nre: subject\nmsg-id: ${id}\n---\n\nbody\n\n`;
    fs.writeFileSync(inbox, ['"plain-1"', "'it''s'", '"\\u00fcber"', '@at'].map(block).join(''));
    for (const id of ['plain-1', "it's", 'über', '@at']) expect(await send(id)).toBe('duplicate');
    expect(await send('"')).toBe('prepended');
    expect(await send('"')).toBe('duplicate');
  });

  it('prepend finds an id that spans two pieces of a large file', async () => {
    const id = 'the-id-in-the-middle';
    const mebibyte = 1024 * 1024;
    const tail = writeBlock(note(id));
    const at = tail.indexOf(id) + 5;
    const head = writeBlock(note('filler', ''));
    const filler = writeBlock(note('filler', 'x'.repeat(mebibyte - head.length - at - 2)));
    fs.writeFileSync(inbox, filler + tail);
    expect(Math.abs((filler + tail).indexOf(id) + 5 - mebibyte)).toBeLessThan(3);
    expect(await send(id)).toBe('duplicate');
  });

  it('prepend does not take an id in a body, a reference or a longer id for the id', async () => {
    await send('report', 'see msg-id: plan\nmsg-id: plan-b', { 'in-reply-to': 'plan' });
    await send('plan-2');
    expect(await send('plan')).toBe('prepended');
    expect(await send('plan-b')).toBe('prepended');
    expect(await send('repor')).toBe('prepended');
  });

  it('prepend takes equal ids that arrive together as one message, and distinguishes them from other content', async () => {
    const results = await Promise.allSettled([
      box.prepend(note('m')),
      box.prepend(note('m')),
      box.prepend(note('m', 'other')),
      box.prepend(note('n')),
    ]);
    expect(
      results.map((each) => (each.status === 'fulfilled' ? each.value.result : each.reason.code)),
    ).toEqual(['prepended', 'duplicate', 'conflict', 'prepended']);
    expect(refs()).toEqual(['n', 'm']);
  });

  it('prepend keeps mode and group of the file and follows a symbolic link to it', async () => {
    const real = path.join(agent, 'real.md');
    fs.writeFileSync(real, '');
    fs.chmodSync(real, 0o640);
    if (process.getuid?.() === 0) fs.chownSync(real, 12345, 54321);
    fs.symlinkSync('real.md', inbox);
    world.box = new FlatFile(inbox);
    const before = fs.statSync(real);
    await send('m');
    const after = fs.statSync(real);
    expect(fs.lstatSync(inbox).isSymbolicLink()).toBe(true);
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    expect(after.ino).not.toBe(before.ino);
  });

  it('prepend makes a new mailbox as open as its directory and no more', async () => {
    fs.chmodSync(agent, 0o750);
    await send('m');
    expect(fs.statSync(inbox).mode & 0o777).toBe(0o640);
    expect(fs.statSync(path.join(agent, 'locks')).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(agent, 'locks', 'inbox.md.lock')).mode & 0o777).toBe(0o600);
  });

  it('prepend starts over when another program changes the file between read and rename, and keeps that change', async () => {
    await send('m');
    let left = 3;
    const step = (name: string): void => {
      if (name === 'flatfile.prepend.synced' && left-- > 0) {
        fs.writeFileSync(inbox, text().replace('subject', `subject ${left}`));
      }
    };
    const watched = new FlatFile(inbox, { step });
    await watched.prepend(note('new'));
    expect(watched.show('m').fields.get('re')).toBe('subject 0 1 2');
    expect(refs()).toEqual(['new', 'm']);
  });

  it('prepend starts over also when the change keeps size and is made by rename, and gives up after five', async () => {
    await send('m');
    let changes = 0;
    const step = (name: string): void => {
      if (name !== 'flatfile.prepend.synced') return;
      const changed = text().replace(/subject|sub\d{4}/, `sub${String(++changes).padStart(4, '0')}`);
      fs.writeFileSync(`${inbox}.editor`, changed);
      fs.renameSync(`${inbox}.editor`, inbox);
    };
    const watched = new FlatFile(inbox, { step });
    await expect(watched.prepend(note('new'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(changes).toBe(5);
    expect(refs()).toEqual(['m']);
    expect(watched.show('m').fields.get('re')).toBe('sub0005');
    expect(fs.readdirSync(agent).filter((name) => name.includes('.tmp-'))).toEqual([]);
  });

  it('prepend sweeps what crashed writers left, but not what may still be in use', async () => {
    const [old, young] = ['.inbox.md.tmp-1-old', '.inbox.md.tmp-1-young'].map((name) =>
      path.join(agent, name),
    );
    fs.writeFileSync(old!, 'x');
    fs.writeFileSync(young!, 'x');
    fs.utimesSync(old!, new Date(0), new Date(0));
    await send('m');
    expect([fs.existsSync(old!), fs.existsSync(young!)]).toEqual([false, true]);
  });
});
