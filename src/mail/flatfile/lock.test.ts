import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile } from '../../base/index.ts';
import { FlatFile } from './flat-file.ts';
import { note, TestAgent } from './world.testing.ts';

let world: TestAgent;
let agent: string;
let inbox: string;
let box: TestAgent['box'];
let refs: TestAgent['refs'];
let send: TestAgent['send'];

beforeEach(() => {
  world = new TestAgent();
  ({ agent, inbox, box, refs, send } = world);
});
afterEach(() => world.end());

describe('the lock', () => {
  it('a lock that stays taken ends in unavailable, with the file untouched and nothing left behind', async () => {
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

  it('a lock that stays taken makes each message fail at its own deadline', async () => {
    await send('m');
    await box.idle();
    const lock = await lockFile(box.paths.lock, { timeoutMs: 0 });
    const patient = box.prepend(note('patient'));
    await expect(box.prepend(note('hasty'), { timeoutMs: 60 })).rejects.toMatchObject({
      code: 'unavailable',
      facts: { lock_timeout: true },
    });
    lock.release();
    expect(await patient).toMatchObject({ result: 'prepended' });
    expect(refs()).toEqual(['patient', 'm']);
  });

  it('the lock is released now and then by a process that writes without end', async () => {
    await send('first');
    let ended = false;
    const writing = (async () => {
      for (let n = 0; !ended; n++) await send(`m-${n}`);
    })();
    try {
      for (let taken = 0; taken < 3; taken++) {
        const lock = await lockFile(box.paths.lock, { timeoutMs: 20_000 });
        lock.release();
      }
    } finally {
      ended = true;
      await writing;
    }
  });

  it.each<[string, (file: string) => void]>([
    ['a symbolic link', (file) => fs.symlinkSync('/etc/passwd', file)],
    ['a dangling link', (file) => fs.symlinkSync('/nonexistent/x', file)],
    ['a directory', (file) => fs.mkdirSync(file)],
    ['a second name of another file', (file) => fs.linkSync(path.join(agent, 'other'), file)],
  ])('a lock planted as %s is refused', async (_, plant) => {
    fs.writeFileSync(path.join(agent, 'other'), 'x');
    fs.mkdirSync(path.join(agent, 'locks'));
    plant(box.paths.lock);
    await expect(box.prepend(note('m'), { timeoutMs: 50 })).rejects.toMatchObject({ code: 'conflict' });
    expect(fs.existsSync(inbox)).toBe(false);
    expect(fs.readFileSync(path.join(agent, 'other'), 'utf8')).toBe('x');
  });

  it('a lock directory planted as a link is refused', async () => {
    fs.symlinkSync('/tmp', path.join(agent, 'locks'));
    await expect(box.prepend(note('m'), { timeoutMs: 50 })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('every spelling of a mailbox path has the same lock, inside and outside an .agent directory', () => {
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

  it('the lock of a file outside an .agent directory lives where only this user can reach', async () => {
    const base = path.dirname(agent);
    const privateRoot = path.join(base, 'private', 'locks');
    const outside = new FlatFile(path.join(base, 'mail.md'), { privateRoot });
    await outside.prepend(note('m'));
    expect(fs.statSync(privateRoot).mode & 0o777).toBe(0o700);
    expect(fs.readdirSync(base).sort()).toEqual(['.agent', 'mail.md', 'private']);
    await outside.idle();
    fs.chmodSync(privateRoot, 0o777);
    await expect(outside.setStatus(['m'], { to: 'stale' })).rejects.toMatchObject({ code: 'conflict' });
  });
});
