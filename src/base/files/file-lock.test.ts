import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { lockFile, tryLockFile, withFileLock } from './file-lock.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-lock-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));
const place = (name: string): string => path.join(directory, name);

/** A shell that holds the lock with util-linux flock until its stdin closes. */
async function shellHolder(file: string): Promise<{ end: () => Promise<void> }> {
  const child = spawn('flock', ['-x', file, 'sh', '-c', 'echo held; cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    async end() {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

describe('a file lock', () => {
  it('a file lock is held by one at a time and free again after release', () => {
    const first = tryLockFile(place('one'));
    expect(first).toBeDefined();
    expect(tryLockFile(place('one'))).toBeUndefined();
    first?.release();
    const second = tryLockFile(place('one'));
    expect(second).toBeDefined();
    second?.release();
  });

  it('a file lock excludes and is excluded by util-linux flock on the same file', async () => {
    const holder = await shellHolder(place('shell'));
    expect(tryLockFile(place('shell'))).toBeUndefined();
    await holder.end();
    await withFileLock(place('shell'), { timeoutMs: 5000 }, () => {
      expect(() => execFileSync('flock', ['-n', place('shell'), 'true'])).toThrow();
    });
    execFileSync('flock', ['-n', place('shell'), 'true']);
  });

  it('a file lock is waited for in the queue of the kernel, before scripts that came later', async () => {
    const file = place('queue');
    const waiters = (): number => {
      const { ino } = fs.statSync(file);
      const lines = fs.readFileSync('/proc/locks', 'utf8').split('\n');
      return lines.filter((line) => line.includes('->') && line.includes(`:${ino} `)).length;
    };
    const holder = await shellHolder(file);
    const ours = lockFile(file, { timeoutMs: 60_000 });
    await expect.poll(waiters, { timeout: 30_000 }).toBe(1);
    const later = shellHolder(file);
    await expect.poll(waiters, { timeout: 30_000 }).toBe(2);
    await holder.end();
    const first = await Promise.race([ours.then(() => 'ours'), later.then(() => 'later')]);
    expect(first).toBe('ours');
    (await ours).release();
    await (await later).end();
  });

  it('a file lock leaves the queue when its wait is aborted', async () => {
    const holder = await shellHolder(place('abort'));
    const abort = new AbortController();
    const ours = lockFile(place('abort'), { timeoutMs: 60_000, signal: abort.signal });
    abort.abort();
    await expect(ours).rejects.toMatchObject({ facts: { lock_timeout: true } });
    await holder.end();
    execFileSync('flock', ['-n', place('abort'), 'true']);
  });

  it('a file lock gives up at the deadline with what to do, and holds nothing', async () => {
    const lock = tryLockFile(place('busy'));
    await expect(lockFile(place('busy'), { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'unavailable',
      facts: { lock_timeout: true },
    });
    lock?.release();
    expect(tryLockFile(place('busy'))).toBeDefined();
  });

  it('a file lock is taken on the file that the path names now, not on a deleted one', async () => {
    const old = tryLockFile(place('replaced'));
    fs.unlinkSync(place('replaced'));
    const fresh = await lockFile(place('replaced'), { timeoutMs: 1000 });
    expect(fs.fstatSync(fresh.fd).ino).toBe(fs.statSync(place('replaced')).ino);
    old?.release();
    fresh.release();
  });

  it('a file lock refuses a planted link, pipe, directory or second name', () => {
    fs.symlinkSync('/etc/passwd', place('link'));
    execFileSync('mkfifo', [place('pipe')]);
    fs.mkdirSync(place('dir'));
    fs.writeFileSync(place('target'), 'precious');
    fs.linkSync(place('target'), place('hard'));
    for (const name of ['link', 'pipe', 'dir', 'hard']) {
      expect(() => tryLockFile(place(name)), name).toThrow(/refusing to use it/);
    }
    expect(fs.readFileSync(place('target'), 'utf8')).toBe('precious');
  });
});
