import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, errnoOf, internal, type RouseError, unavailable } from '../errors.ts';
import { nativeErrno, nativeFunction } from '../native.ts';
import { type Clock, sleep, systemClock } from '../time/clock.ts';

/**
 * flock(2) on a lock file that is never deleted. The kernel frees it when its holder dies. Shell scripts that use
 * util-linux `flock` on the same path exclude us and are excluded.
 */
export interface FileLock {
  readonly path: string;
  readonly fd: number;
  release(): void;
}

export interface LockOptions {
  /** Give up after this long. 0 tries once. */
  timeoutMs: number;
  clock?: Clock;
  /** Mode of a lock file that does not exist yet. */
  mode?: number;
  /** For all accounts, in a directory that all may write (/tmp): any account may have made the file, and any may lock it. */
  shared?: boolean;
  signal?: AbortSignal;
}

const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;
const EINTR = 4;
const EAGAIN = 11;

const RETRY_MS = 5;

interface Flock {
  (fd: number, operation: number): number;
  async(fd: number, operation: number, done: (error: Error | null, result: number) => void): void;
}

let native: Flock | undefined;

function loadFlock(): Flock {
  native ??= nativeFunction<Flock>('int flock(int fd, int operation)');
  return native;
}

/** Locks an open file unless another process holds it. */
export function tryFlock(fd: number): boolean {
  for (;;) {
    if (loadFlock()(fd, LOCK_EX | LOCK_NB) === 0) return true;
    const code = nativeErrno();
    if (code === EINTR) continue;
    if (code === EAGAIN) return false;
    throw internal(`flock failed with errno ${code}`);
  }
}

/** Waits in the kernel's queue for an open file. The wait takes a thread and cannot be cancelled. False if it failed. */
export function queueForFlock(fd: number): Promise<boolean> {
  return new Promise((resolve) => {
    loadFlock().async(fd, LOCK_EX, (error, result) => resolve(error === null && result === 0));
  });
}

export function releaseFlock(fd: number): void {
  loadFlock()(fd, LOCK_UN);
}

/** Opens a lock file without following links or truncating. Refuses one that may have been planted. */
function openLockFile(file: string, mode: number, shared: boolean): number | undefined {
  const flags =
    fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
  let fd: number | undefined;
  try {
    fd = shared ? openSharedLockFile(file) : fs.openSync(file, flags, mode);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP' || errnoOf(error) === 'ENXIO' || errnoOf(error) === 'EISDIR') {
      throw conflict(`lock file ${file} is not a regular file; refusing to use it`, { cause: error });
    }
    throw error;
  }
  if (fd === undefined) return undefined;
  const stat = fs.fstatSync(fd);
  if (!stat.isFile() || stat.nlink > 1) {
    fs.closeSync(fd);
    throw conflict(`lock file ${file} is not a regular file of its own; refusing to use it`);
  }
  return fd;
}

/**
 * The same for a lock that all accounts share. It is opened without O_CREAT first, because in a sticky directory Linux
 * refuses that flag for a file of another account (fs.protected_regular). Read access is enough to lock it. Undefined
 * while another process is just making it.
 */
function openSharedLockFile(file: string): number | undefined {
  const { O_RDWR, O_RDONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  const plain = O_NOFOLLOW | O_NONBLOCK;
  const attempts: [flags: number, passing: string][] = [
    [O_RDWR | plain, 'EACCES'],
    [O_RDONLY | plain, 'ENOENT'],
    [O_RDWR | O_CREAT | O_EXCL | plain, 'EEXIST'],
  ];
  for (let round = 0; ; round++) {
    for (const [flags, passing] of attempts) {
      try {
        const fd = fs.openSync(file, flags, 0o666);
        // Whatever the umask is: a lock that only its maker can open would shut all others out.
        if (flags & O_CREAT) fs.fchmodSync(fd, 0o666);
        return fd;
      } catch (error) {
        const code = errnoOf(error) ?? '';
        // Made or removed since the last try: try again, but not for ever.
        if (code === 'EACCES' && code !== passing && isJustMade(file)) return undefined;
        if ((code !== passing && code !== 'ENOENT') || round > 9) throw error;
      }
    }
  }
}

/** Its maker has not opened it to others yet, which takes an instant. */
function isJustMade(file: string): boolean {
  const made = fs.lstatSync(file, { throwIfNoEntry: false })?.ctimeMs;
  return made === undefined || made > Date.now() - 1000;
}

/** True while the path still names the file we locked. A lock file that was deleted and made again excludes no one. */
function stillSameFile(fd: number, file: string): boolean {
  try {
    const ours = fs.fstatSync(fd);
    const theirs = fs.lstatSync(file);
    return ours.ino === theirs.ino && ours.dev === theirs.dev;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Tries once. Undefined if another process holds it. */
export function tryLockFile(file: string, mode = 0o600, shared = false): FileLock | undefined {
  const fd = openLockFile(file, mode, shared);
  if (fd === undefined) return undefined;
  try {
    if (tryFlock(fd) && stillSameFile(fd, file)) return heldLock(fd, file);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return undefined;
}

function heldLock(fd: number, file: string): FileLock {
  let held = true;
  return {
    path: file,
    fd,
    release() {
      if (!held) return;
      held = false;
      releaseFlock(fd);
      fs.closeSync(fd);
    },
  };
}

/**
 * Waits for the lock in the kernel's queue, fairly beside scripts that wait there too. `unavailable` if the deadline
 * passes. The directory of the lock must exist.
 */
export async function lockFile(file: string, options: LockOptions): Promise<FileLock> {
  const { timeoutMs, clock = systemClock, mode = 0o600, shared = false, signal } = options;
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const fd = openLockFile(file, mode, shared);
    const wait = { ms: deadline - clock.monotonic(), clock, signal };
    const lock = fd === undefined ? undefined : await lockOpened(fd, file, wait);
    if (lock) return lock;
    if (clock.monotonic() >= deadline || signal?.aborted) throw lockTimeout(file, timeoutMs);
    // It is just being made, was replaced, or `flock` is not installed.
    await sleep(clock, RETRY_MS, signal);
  }
}

interface Wait {
  ms: number;
  clock: Clock;
  signal: AbortSignal | undefined;
}

async function lockOpened(fd: number, file: string, wait: Wait): Promise<FileLock | undefined> {
  try {
    const taken = tryFlock(fd) || (wait.ms > 0 && (await waitInQueue(fd, wait)));
    if (taken && stillSameFile(fd, file)) return heldLock(fd, file);
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return undefined;
}

/**
 * Locks an open file with util-linux `flock`, which gets the open file, takes the lock and ends; the lock is then ours.
 * A wait in a thread of our own would be as fair, but nothing can end it, and the process could not exit before it.
 */
function waitInQueue(fd: number, { ms, clock, signal }: Wait): Promise<boolean> {
  if (signal?.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    // Its own timeout is for the case that this process ends first.
    const seconds = Math.ceil(ms / 1000) + 1;
    const helper = spawn('flock', ['-x', '-w', String(seconds), '3'], {
      stdio: ['ignore', 'ignore', 'ignore', fd],
      cwd: '/',
    });
    const stop = (): void => void helper.kill('SIGKILL');
    const cancel = clock.after(ms, stop);
    signal?.addEventListener('abort', stop, { once: true });
    const ended = (taken: boolean): void => {
      cancel();
      signal?.removeEventListener('abort', stop);
      resolve(taken);
    };
    helper.once('error', () => ended(false));
    helper.once('exit', (code) => ended(code === 0));
  });
}

function lockTimeout(file: string, timeoutMs: number): RouseError {
  return unavailable(`timed out after ${timeoutMs / 1000} s waiting for lock ${path.resolve(file)}`, {
    hint: 'another process holds it; try again when that process is done',
    facts: { lock_path: file, lock_timeout: true },
  });
}

/** Runs `work` while holding the lock. */
export async function withFileLock<T>(
  file: string,
  options: LockOptions,
  work: (lock: FileLock) => Promise<T> | T,
): Promise<T> {
  const lock = await lockFile(file, options);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}
