import * as fs from 'node:fs';
import * as path from 'node:path';
import { conflict, errnoOf, internal, type RouseError, unavailable } from '../errors.ts';
import { type Clock, sleep, systemClock } from '../time/clock.ts';
import { nativeErrno, nativeFunction } from './native.ts';

/**
 * flock(2) on a lock file that is never deleted: the kernel frees it when its holder dies, and shell scripts
 * that use util-linux `flock` on the same path exclude us and are excluded.
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
  signal?: AbortSignal;
}

const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;
const EINTR = 4;
const EAGAIN = 11;

const LONGEST_PAUSE_MS = 10;

interface Flock {
  (fd: number, operation: number): number;
  async(fd: number, operation: number, done: (error: Error | null, result: number) => void): void;
}

let native: Flock | undefined;

function loadFlock(): Flock {
  native ??= nativeFunction<Flock>('int flock(int fd, int operation)');
  return native;
}

/** Locks an open file unless somebody else holds it. */
export function tryFlock(fd: number): boolean {
  for (;;) {
    if (loadFlock()(fd, LOCK_EX | LOCK_NB) === 0) return true;
    const code = nativeErrno();
    if (code === EINTR) continue;
    if (code === EAGAIN) return false;
    throw internal(`flock failed with errno ${code}`);
  }
}

/** Waits in the kernel's queue for an open file; the wait takes a thread and cannot be taken back. False when it failed. */
export function queueForFlock(fd: number): Promise<boolean> {
  return new Promise((resolve) => {
    loadFlock().async(fd, LOCK_EX, (error, result) => resolve(error === null && result === 0));
  });
}

export function releaseFlock(fd: number): void {
  loadFlock()(fd, LOCK_UN);
}

/** Opens a lock file without following links, truncating, or trusting what somebody may have planted there. */
function openLockFile(file: string, mode: number): number {
  const flags =
    fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;
  let fd: number;
  try {
    fd = fs.openSync(file, flags, mode);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP' || errnoOf(error) === 'ENXIO' || errnoOf(error) === 'EISDIR') {
      throw conflict(`lock file ${file} is not a regular file; refusing to use it`, { cause: error });
    }
    throw error;
  }
  const stat = fs.fstatSync(fd);
  if (!stat.isFile() || stat.nlink > 1) {
    fs.closeSync(fd);
    throw conflict(`lock file ${file} is not a regular file of its own; refusing to use it`);
  }
  return fd;
}

/** True while the path still names the file we locked: a deleted and re-made lock file excludes nobody. */
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

/** One try. Undefined when somebody else holds it. */
export function tryLockFile(file: string, mode = 0o600): FileLock | undefined {
  const fd = openLockFile(file, mode);
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
 * How long to wait after so many tries before asking for a taken lock again. A wait inside the kernel would be fairer,
 * but it takes a thread, nothing can end it, and a process cannot exit before it is over.
 */
export function lockPause(tries: number): number {
  return Math.min(LONGEST_PAUSE_MS, 1.5 ** tries) * (0.5 + Math.random());
}

/** Waits for the lock with short, jittered pauses; `unavailable` when the deadline passes. The lock's directory must exist. */
export async function lockFile(file: string, options: LockOptions): Promise<FileLock> {
  const { timeoutMs, clock = systemClock, mode = 0o600, signal } = options;
  const deadline = clock.monotonic() + timeoutMs;
  for (let tries = 0; ; tries++) {
    const lock = tryLockFile(file, mode);
    if (lock) return lock;
    const left = deadline - clock.monotonic();
    if (left <= 0 || signal?.aborted) {
      throw lockTimeout(file, timeoutMs);
    }
    await sleep(clock, Math.min(left, lockPause(tries)), signal);
  }
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
