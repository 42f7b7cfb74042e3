import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  errnoOf,
  type FileLock,
  forbidden,
  isRouseError,
  lockFile,
  type RouseError,
  systemClock,
  tryLockFile,
  unavailable,
} from '../../../base/index.ts';
import { explainWrite } from './explain-write.ts';
import { compatLockPath, type MailboxPaths } from './mailbox-path.ts';
import { ensureSide, openToUsers, sideMode } from './side-directory.ts';

export const DEFAULT_TIMEOUT_MS = 30_000;

export interface HoldOptions {
  timeoutMs?: number | undefined;
  /** Take the shell recipe's lock in /tmp as well. */
  compatLock?: boolean | undefined;
  clock?: Clock | undefined;
  signal?: AbortSignal | undefined;
}

/** Runs `work` while this mailbox is locked; `unavailable` when the lock stays taken. */
export async function holdMailbox<T>(
  paths: MailboxPaths,
  options: HoldOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock } = options;
  const deadline = clock.monotonic() + timeoutMs;
  const locks: FileLock[] = [];
  try {
    for (const file of lockFiles(paths, options))
      locks.push(await waitFor(paths, file, { ...options, clock, deadline }));
    return await work().catch((error) => {
      throw explainWrite(error, paths.mailbox);
    });
  } finally {
    for (const lock of locks.reverse()) lock.release();
  }
}

function lockFiles(paths: MailboxPaths, { compatLock }: HoldOptions): string[] {
  return compatLock ? [paths.lock, compatLockPath(paths)] : [paths.lock];
}

async function waitFor(
  paths: MailboxPaths,
  file: string,
  {
    clock,
    deadline,
    signal,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  }: HoldOptions & { clock: Clock; deadline: number },
): Promise<FileLock> {
  try {
    ensureSide(paths);
    const left = Math.max(0, deadline - clock.monotonic());
    const lock = await lockFile(file, {
      timeoutMs: left,
      clock,
      mode: sideMode(paths),
      ...(signal ? { signal } : {}),
    });
    if (file === paths.lock) openToUsers(paths, lock.fd);
    return lock;
  } catch (error) {
    throw isRouseError(error) && error.facts['lock_timeout'] === true
      ? lockTimeout(paths, file, timeoutMs)
      : explainLock(error, paths, file);
  }
}

/** One try for the mailbox's own lock. */
export function tryHoldMailbox(paths: MailboxPaths): FileLock | undefined {
  try {
    ensureSide(paths);
    const lock = tryLockFile(paths.lock, sideMode(paths));
    if (lock) openToUsers(paths, lock.fd);
    return lock;
  } catch (error) {
    throw explainLock(error, paths, paths.lock);
  }
}

/** Makes the directory of the lock, so that a script can open it right away. */
export function ensureLockDirectory(paths: MailboxPaths): void {
  try {
    ensureSide(paths);
  } catch (error) {
    throw explainLock(error, paths, paths.lock);
  }
}

export function lockTimeout(paths: MailboxPaths, file: string, timeoutMs: number): RouseError {
  const holders = holdersOf(file);
  const who = holders.length > 0 ? ` (held by process ${holders.join(', ')})` : '';
  return unavailable(
    `timed out after ${timeoutMs / 1000} s waiting for lock ${file}${who}; ${paths.mailbox} is unchanged`,
    {
      hint: 'try again when that process is done; a retry with the same msg-id is never delivered twice',
      facts: { lock_path: file, lock_timeout: true, lock_holders: holders },
    },
  );
}

/** Who holds a flock on this file, as far as the kernel tells us. */
function holdersOf(file: string): number[] {
  try {
    const { ino } = fs.statSync(file);
    return fs
      .readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => /FLOCK\s+\S+\s+\S+\s+(\d+)\s+\S+?:\S+?:(\d+)\s/.exec(line))
      .filter((match) => match !== null && !match.input.includes('->') && Number(match[2]) === ino)
      .map((match) => Number(match![1]));
  } catch {
    return [];
  }
}

function explainLock(error: unknown, paths: MailboxPaths, file: string): unknown {
  switch (errnoOf(error)) {
    case 'EACCES':
    case 'EPERM': {
      const at = shutBy(file);
      const why = at === file ? 'it belongs to another user' : `you may not write in ${at}`;
      return forbidden(`not allowed to lock ${file}: ${why}`, {
        hint: 'share the directory of the mailbox through a common group',
        cause: error,
      });
    }
    case 'EROFS':
      return forbidden(`${file} is on a read-only file system`, {
        hint: 'mount it writable, or use a mailbox in another place',
        cause: error,
      });
    default:
      return explainWrite(error, paths.mailbox);
  }
}

/** What keeps us out: the lock file, or the directory it would have to be made in. */
function shutBy(file: string): string {
  const above = path.dirname(file);
  return above === file || isThere(file) ? file : shutBy(above);
}

function isThere(file: string): boolean {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
