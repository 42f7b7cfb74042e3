import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile, systemClock } from '../../base/index.ts';
import { FlatFile } from './flat-file.ts';
import { writeBlock } from './format/block.ts';
import type { FlatMessage } from './format/envelope.ts';

let agent: string;
let inbox: string;
let box: FlatFile;

beforeEach(() => {
  agent = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-flatfile-')), '.agent');
  fs.mkdirSync(agent);
  inbox = path.join(agent, 'inbox.md');
  box = new FlatFile(inbox);
});
afterEach(async () => {
  await box.idle();
  fs.rmSync(path.dirname(agent), { recursive: true, force: true });
});

function note(id?: string, body = 'body', more: Record<string, string> = {}): FlatMessage {
  const fields = new Map(Object.entries({ from: 'a@x', to: 'b@x', re: 'subject', ...more }));
  if (id !== undefined) fields.set('msg-id', id);
  return { fields, body };
}

const text = (): string => fs.readFileSync(inbox, 'utf8');
const refs = (): string[] => box.list().entries.map(({ ref }) => ref);
const send = async (...message: Parameters<typeof note>): Promise<string> =>
  (await box.prepend(note(...message))).result;

describe('prepend', () => {
  it('makes a mailbox with a file header, and puts the newest on top below it', async () => {
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
  ])('into a file with %s keeps every byte of it', async (_, before) => {
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

  it('fills in created and status, and an id only when asked', async () => {
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

  it('recognises a retry by id and content; time, status and line ends are not content', async () => {
    expect(await send('m', 'one\ntwo', { created: '2026-01-01' })).toBe('prepended');
    expect(await send('m', 'one\ntwo', { created: '2026-02-02' })).toBe('duplicate');
    expect(await send('m', 'one\r\ntwo\r\n', { status: 'in-progress' })).toBe('duplicate');
    expect(refs()).toEqual(['m']);
  });

  it.each([
    ['another body', note('m', 'other')],
    ['another sender', note('m', 'body', { from: 'eve@x' })],
    ['another subject', note('m', 'body', { re: 'else' })],
  ])('refuses a used id with %s and leaves the file alone', async (_, other) => {
    await send('m');
    const before = text();
    await expect(box.prepend(other)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('msg-id m'),
    });
    expect(text()).toBe(before);
  });

  it('finds a duplicate anywhere: on top, 19 down, 10,000 down, far beyond 200 lines', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => writeBlock(note(`old-${n}`)));
    fs.writeFileSync(inbox, many.join(''));
    for (const id of ['old-0', 'old-18', 'old-999', 'old-9999']) expect(await send(id)).toBe('duplicate');
    expect(await send('old-10000')).toBe('prepended');
    await expect(send('old-5000', 'other')).rejects.toMatchObject({ code: 'conflict' });
  });

  it('finds a duplicate that was archived, or that somebody deleted', async () => {
    await send('kept');
    await send('moved');
    await send('deleted');
    await box.archive({ refs: ['moved'] });
    fs.writeFileSync(inbox, text().replace(/---\nfrom: a@x\n[\s\S]*?msg-id: deleted\n---\n\nbody\n\n/, ''));
    expect(refs()).toEqual(['kept']);
    expect(await send('moved')).toBe('duplicate');
    expect(await send('deleted')).toBe('duplicate');
    expect(refs()).toEqual(['kept']);
  });

  it('finds a duplicate after the journal was lost, damaged or planted as a link', async () => {
    await send('m');
    const journal = path.join(agent, 'locks', 'inbox.md.ids');
    fs.rmSync(journal);
    expect(await send('m')).toBe('duplicate');
    fs.writeFileSync(journal, 'garbage\n\u0000');
    expect(await send('m')).toBe('duplicate');
    fs.truncateSync(journal, fs.statSync(journal).size - 3);
    expect(await send('m')).toBe('duplicate');
    const target = path.join(agent, 'precious');
    fs.writeFileSync(target, 'precious');
    fs.rmSync(journal);
    fs.symlinkSync(target, journal);
    expect(await send('m')).toBe('duplicate');
    expect(await send('n')).toBe('prepended');
    expect(fs.readFileSync(target, 'utf8')).toBe('precious');
  });

  it('does not take an id in a body, a reference or a longer id for the id', async () => {
    await send('report', 'see msg-id: plan\nmsg-id: plan-b', { 'in-reply-to': 'plan' });
    await send('plan-2');
    expect(await send('plan')).toBe('prepended');
    expect(await send('plan-b')).toBe('prepended');
    expect(await send('repor')).toBe('prepended');
  });

  it('takes equal ids that arrive together as one message, and tells them apart from other content', async () => {
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

  it('keeps mode and group of the file and follows a symbolic link to it', async () => {
    const real = path.join(agent, 'real.md');
    fs.writeFileSync(real, '');
    fs.chmodSync(real, 0o640);
    if (process.getuid?.() === 0) fs.chownSync(real, 12345, 54321);
    fs.symlinkSync('real.md', inbox);
    box = new FlatFile(inbox);
    const before = fs.statSync(real);
    await send('m');
    const after = fs.statSync(real);
    expect(fs.lstatSync(inbox).isSymbolicLink()).toBe(true);
    expect([after.mode, after.uid, after.gid]).toEqual([before.mode, before.uid, before.gid]);
    expect(after.ino).not.toBe(before.ino);
  });

  it('makes a new mailbox as open as its directory and no more', async () => {
    fs.chmodSync(agent, 0o750);
    await send('m');
    expect(fs.statSync(inbox).mode & 0o777).toBe(0o640);
    expect(fs.statSync(path.join(agent, 'locks')).mode & 0o777).toBe(0o700);
    expect(fs.statSync(path.join(agent, 'locks', 'inbox.md.lock')).mode & 0o777).toBe(0o600);
  });

  it('starts over when somebody changes the file between read and rename, and keeps that change', async () => {
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

  it('starts over also when the change keeps size and is made by rename, and gives up after five', async () => {
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

  it('sweeps what crashed writers left, but not what may still be in use', async () => {
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

describe('the lock', () => {
  it('that stays taken ends in unavailable, with the file untouched and nothing left behind', async () => {
    await send('m');
    await box.idle();
    const before = fs.statSync(inbox, { bigint: true });
    const lock = await lockFile(box.paths.lock, { timeoutMs: 0 });
    for (const attempt of [
      () => box.prepend(note('n'), { timeoutMs: 60 }),
      () => box.prepend(note('n'), { timeoutMs: 60, compatLock: true }),
      () => box.setStatus(['m'], { to: 'stale' }, { timeoutMs: 60 }),
      () => box.archive({ refs: ['m'] }, { timeoutMs: 60 }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'unavailable', facts: { lock_timeout: true } });
    }
    lock.release();
    expect(fs.statSync(inbox, { bigint: true }).mtimeNs).toBe(before.mtimeNs);
    expect(await send('later')).toBe('prepended');
    expect(refs()).toEqual(['later', 'm']);
  });

  it.each<[string, (file: string) => void]>([
    ['a symbolic link', (file) => fs.symlinkSync('/etc/passwd', file)],
    ['a dangling link', (file) => fs.symlinkSync('/nonexistent/x', file)],
    ['a directory', (file) => fs.mkdirSync(file)],
    ['a second name of another file', (file) => fs.linkSync(path.join(agent, 'other'), file)],
  ])('planted as %s is refused', async (_, plant) => {
    fs.writeFileSync(path.join(agent, 'other'), 'x');
    fs.mkdirSync(path.join(agent, 'locks'));
    plant(box.paths.lock);
    await expect(box.prepend(note('m'), { timeoutMs: 50 })).rejects.toMatchObject({ code: 'conflict' });
    expect(fs.existsSync(inbox)).toBe(false);
    expect(fs.readFileSync(path.join(agent, 'other'), 'utf8')).toBe('x');
  });

  it('directory planted as a link is refused', async () => {
    fs.symlinkSync('/tmp', path.join(agent, 'locks'));
    await expect(box.prepend(note('m'), { timeoutMs: 50 })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is one for every spelling of the path, inside and outside an .agent directory', () => {
    const outside = path.join(path.dirname(agent), 'mail.md');
    fs.writeFileSync(outside, '');
    fs.writeFileSync(inbox, '');
    fs.symlinkSync(agent, path.join(path.dirname(agent), 'alias'));
    fs.symlinkSync('.agent/inbox.md', path.join(path.dirname(agent), 'link.md'));
    const base = path.dirname(agent);
    const spellings = [
      inbox,
      `${agent}//inbox.md`,
      `${agent}/../.agent/./inbox.md`,
      `${base}/alias/inbox.md`,
      `${base}/link.md`,
      path.relative(process.cwd(), inbox),
    ];
    expect(new Set(spellings.map((each) => new FlatFile(each).paths.lock))).toEqual(
      new Set([path.join(fs.realpathSync(agent), 'locks', 'inbox.md.lock')]),
    );
    const privateRoot = path.join(base, 'private', 'locks');
    const others = [outside, `${base}/.agent/../mail.md`, `${base}/alias/../mail.md`];
    const locks = new Set(others.map((each) => new FlatFile(each, { privateRoot }).paths.lock));
    expect(locks.size).toBe(1);
    expect([...locks][0]).toMatch(/private\/locks\/[0-9a-f]{32}\.lock$/);
  });

  it('of a file outside an .agent directory lives where only this user can reach', async () => {
    const base = path.dirname(agent);
    const privateRoot = path.join(base, 'private', 'locks');
    const outside = new FlatFile(path.join(base, 'mail.md'), { privateRoot });
    await outside.prepend(note('m'));
    expect(fs.statSync(privateRoot).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(base).sort()).toEqual(['.agent', 'mail.md', 'private']);
    fs.chmodSync(privateRoot, 0o777);
    await expect(outside.setStatus(['m'], { to: 'stale' })).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('set-status', () => {
  it('changes one envelope and no other byte', async () => {
    for (const id of ['a', 'b', 'c']) await send(id, `body of ${id}\n\n---\n`);
    const before = text();
    await box.setStatus(['b'], { to: 'stale' });
    expect(text()).toBe(before.replace(/(status: )pending(\nmsg-id: b\n)/, '$1stale$2'));
  });

  it('changes all of several or none, and only from the expected status', async () => {
    for (const id of ['a', 'b']) await send(id);
    const before = text();
    await expect(box.setStatus(['a', 'x'], { to: 'stale' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(box.setStatus(['a'], { to: 'stale', from: 'actioned' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(box.setStatus(['a'], { to: 'done' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(box.setStatus(['a'], { to: 'actioned', note: 'x\ny' })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(text()).toBe(before);
    await box.setStatus(['a', 'b'], { to: 'actioned', from: 'pending', by: 'ben', note: 'done: all of it' });
    for (const { fields } of box.list().entries) {
      expect(Object.fromEntries(fields)).toMatchObject({
        status: 'actioned',
        actioned_by: 'ben',
        actioned_note: 'done: all of it',
      });
    }
  });

  it('leaves one status line where there were two, in the line ends of the block', async () => {
    fs.writeFileSync(
      inbox,
      '---\r\nfrom: a\r\nto: b\r\nre: c\r\nstatus: pending\r\nmsg-id: m\r\nstatus: stale\r\n---\r\n\r\nx',
    );
    await box.setStatus(['m'], { to: 'actioned' });
    expect(text()).toMatch(
      /^---\r\nfrom: a\r\nto: b\r\nre: c\r\nstatus: actioned\r\nmsg-id: m\r\nactioned_at: [^\r]+\r\n---\r\n\r\nx$/,
    );
  });

  it('names a message without an id by its content', async () => {
    await send(undefined, 'one');
    await send(undefined, 'two');
    const [two] = refs();
    expect(two).toMatch(/^~[0-9a-f]{16}$/);
    await box.setStatus([two!], { to: 'stale' });
    expect(box.list().entries.map(({ fields }) => fields.get('status'))).toEqual(['stale', 'pending']);
  });
});

describe('archive', () => {
  it('moves blocks byte by byte, newest on top, and leaves the rest as it was', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await send(id, `body ${id}`);
    const blockOf = (id: string): string =>
      new RegExp(`---\\nfrom[\\s\\S]*?msg-id: ${id}\\n---\\n\\nbody ${id}\\n\\n`).exec(
        text().slice(text().lastIndexOf('---\nfrom', text().indexOf(`msg-id: ${id}`))),
      )![0];
    const [b, c] = [blockOf('b'), blockOf('c')];
    const before = text();
    expect(await box.archive({ refs: ['b', 'c'] })).toEqual(['c', 'b']);
    expect(text()).toBe(before.replace(c, '').replace(b, ''));
    expect(fs.readFileSync(box.paths.archive, 'utf8').endsWith(c + b)).toBe(true);
    expect(await box.archive({ refs: ['b'] })).toEqual([]);
    await box.archive({ refs: ['a', 'b', 'd'] });
    expect(new FlatFile(box.paths.archive).list().entries.map(({ ref }) => ref)).toEqual([
      'd',
      'a',
      'c',
      'b',
    ]);
    expect(box.show('b')).toMatchObject({ archived: true, body: 'body b' });
  });

  it('chooses by status and age', async () => {
    await send('new', 'x', { created: '2026-06-01', status: 'actioned' });
    await send('old', 'x', { created: '2026-01-01', status: 'actioned' });
    await send('open', 'x', { created: '2026-01-01' });
    expect(await box.archive({ statuses: ['actioned'], before: new Date('2026-03-01') })).toEqual(['old']);
    await expect(box.archive({})).rejects.toMatchObject({ code: 'invalid' });
    await expect(box.archive({ refs: ['open', 'nobody'] })).rejects.toMatchObject({ code: 'not_found' });
    await expect(new FlatFile(box.paths.archive).archive({ refs: ['old'] })).rejects.toMatchObject({
      code: 'invalid',
    });
    expect(refs()).toEqual(['open', 'new']);
  });
});

describe('any sequence of operations', () => {
  it('leaves exactly the messages a simple model leaves', async () => {
    const step = fc.oneof(
      fc.record({ op: fc.constant('send' as const), id: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ op: fc.constant('archive' as const), id: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ op: fc.constant('status' as const), id: fc.integer({ min: 0, max: 6 }) }),
      fc.record({ op: fc.constant('forget' as const), id: fc.constant(0) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const own = fs.mkdtempSync(path.join(agent, 'run-'));
        fs.mkdirSync(path.join(own, '.agent'));
        const file = new FlatFile(path.join(own, '.agent', 'inbox.md'));
        const model = { inbox: [] as string[], archive: [] as string[], status: new Map<string, string>() };
        for (const { op, id: n } of steps) {
          const id = `m-${n}`;
          if (op === 'forget') fs.rmSync(file.paths.ids, { force: true });
          else if (op === 'send') {
            const known = model.status.has(id);
            expect((await file.prepend(note(id, '---\n'))).result).toBe(known ? 'duplicate' : 'prepended');
            if (!known) model.inbox.unshift(id);
            model.status.set(id, model.status.get(id) ?? 'pending');
          } else if (op === 'archive') {
            const done = file.archive({ refs: [id] });
            if (!model.status.has(id)) await expect(done).rejects.toMatchObject({ code: 'not_found' });
            else await done;
            if (model.inbox.includes(id)) model.archive.unshift(id);
            model.inbox = model.inbox.filter((each) => each !== id);
          } else {
            const done = file.setStatus([id], { to: 'stale' });
            if (!model.inbox.includes(id)) await expect(done).rejects.toMatchObject({ code: 'not_found' });
            else {
              await done;
              model.status.set(id, 'stale');
            }
          }
        }
        expect(file.list().entries.map(({ ref }) => ref)).toEqual(model.inbox);
        const archived = new FlatFile(file.paths.archive).list().entries.map(({ ref }) => ref);
        expect(archived).toEqual(model.archive);
        for (const [id, status] of model.status) expect(file.show(id).fields.get('status')).toBe(status);
        expect(file.fsck().issues).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });
});
