import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  errnoOf,
  type FileLock,
  forbidden,
  isRouseError,
  lockFile,
  lockHoldersOf,
  type RouseError,
  sleep,
  systemClock,
  tryLockFile,
  unavailable,
} from '../../../base/index.ts';
import { explainWrite } from './explain-write.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { ensureSide, openToUsers, sideMode } from './side-directory.ts';

export const DEFAULT_TIMEOUT_MS = 30_000;

export interface HoldOptions {
  timeoutMs?: number | undefined;
  /** Also take the shell recipe's lock in /tmp inside an `.agent` directory. Elsewhere it is always taken. */
  compatLock?: boolean | undefined;
  clock?: Clock | undefined;
  signal?: AbortSignal | undefined;
}

/** The writers of one mailbox in this process. They take the lock one after another. */
interface WriterQueue {
  /** Resolves when every writer so far is done. */
  last: Promise<void>;
  /** Since when this process has held the lock almost without a pause, and when it last released it. */
  busySince: number;
  releasedAt: number;
}

const queues = new Map<string, WriterQueue>();

/** A process with more to write pauses after this long, so that others can take the lock. */
const BURST_MS = 100;
const REST_MS = 3;

/** Runs `work` under the mailbox lock; `unavailable` if the lock stays taken. */
export async function holdMailbox<T>(
  paths: MailboxPaths,
  options: HoldOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock } = options;
  const deadline = clock.monotonic() + timeoutMs;
  const queue = queueOf(paths);
  const before = queue.last;
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  queue.last = before.then(() => left);
  try {
    if (!(await inTime(before, options))) throw lockTimeout(paths, mainLock(paths), timeoutMs);
    await rest(queue, clock);
    const release = await lockAll(paths, options, deadline);
    try {
      return await work();
    } catch (error) {
      throw explainWrite(error, paths.mailbox);
    } finally {
      release();
      queue.releasedAt = clock.monotonic();
    }
  } finally {
    leave();
  }
}

/** Resolves when this process neither holds the lock of this mailbox nor waits for it. */
export async function mailboxIdle(paths: MailboxPaths): Promise<void> {
  await queues.get(paths.lock)?.last;
}

function queueOf(paths: MailboxPaths): WriterQueue {
  const known = queues.get(paths.lock);
  if (known) return known;
  const queue: WriterQueue = { last: Promise.resolve(), busySince: 0, releasedAt: 0 };
  queues.set(paths.lock, queue);
  return queue;
}

/** Returns false if time is up, or the signal aborts, before the others are done. */
async function inTime(
  others: Promise<void>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock, signal }: HoldOptions,
): Promise<boolean> {
  let forget = (): void => {};
  const tooLate = new Promise<false>((resolve) => {
    const giveUp = (): void => resolve(false);
    const cancel = clock.after(timeoutMs, giveUp);
    signal?.addEventListener('abort', giveUp, { once: true });
    forget = () => {
      cancel();
      signal?.removeEventListener('abort', giveUp);
    };
  });
  try {
    return await Promise.race([others.then(() => true), tooLate]);
  } finally {
    forget();
  }
}

async function rest(queue: WriterQueue, clock: Clock): Promise<void> {
  const now = clock.monotonic();
  if (now - queue.releasedAt > REST_MS) queue.busySince = now;
  if (now - queue.busySince < BURST_MS) return;
  await sleep(clock, REST_MS);
  queue.busySince = clock.monotonic();
}

/**
 * Takes the locks, always in this order. Outside an `.agent` directory the recipe's lock comes first, then ours, for
 * programs that know only one of them.
 */
async function lockAll(paths: MailboxPaths, options: HoldOptions, deadline: number): Promise<() => void> {
  const { lock, seedLock, scoped } = paths;
  const files = !scoped ? [seedLock, lock] : options.compatLock ? [lock, seedLock] : [lock];
  const locks: FileLock[] = [];
  const release = (): void => {
    for (const each of locks.reverse()) each.release();
  };
  try {
    for (const file of files) locks.push(await lockOne(paths, file, { ...options, deadline }));
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

async function lockOne(
  paths: MailboxPaths,
  file: string,
  {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    deadline,
    clock = systemClock,
    signal,
  }: HoldOptions & { deadline: number },
): Promise<FileLock> {
  try {
    ensureSide(paths);
    const shared = file === paths.seedLock;
    const mode = sideMode(paths);
    const left = Math.max(0, deadline - clock.monotonic());
    const lock = await lockFile(file, {
      timeoutMs: left,
      clock,
      mode,
      shared,
      ...(signal ? { signal } : {}),
    });
    if (!shared) openToUsers(paths, lock.fd);
    return lock;
  } catch (error) {
    throw isRouseError(error) && error.facts['lock_timeout'] === true
      ? lockTimeout(paths, file, timeoutMs)
      : explainLock(error, paths, file);
  }
}

/** The lock that every writer of this mailbox takes first. */
const mainLock = ({ scoped, lock, seedLock }: MailboxPaths): string => (scoped ? lock : seedLock);

/** The lock that scripts take, made if it is missing so that they can open it. */
export function readyLock(paths: MailboxPaths): string {
  const file = mainLock(paths);
  try {
    ensureSide(paths);
    if (!paths.scoped) tryLockFile(file, 0o666, true)?.release();
  } catch (error) {
    throw explainLock(error, paths, file);
  }
  return file;
}

function lockTimeout(paths: MailboxPaths, file: string, timeoutMs: number): RouseError {
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

/** The holders that the system shows. */
function holdersOf(file: string): number[] {
  try {
    return lockHoldersOf(file);
  } catch {
    return [];
  }
}

function explainLock(error: unknown, paths: MailboxPaths, file: string): unknown {
  switch (errnoOf(error)) {
    case 'EACCES':
    case 'EPERM': {
      if (file === paths.seedLock)
        return forbidden(`not allowed to open the lock ${file}: another account made it for itself alone`, {
          hint: `ask its owner to remove it, or keep the mailbox in an .agent directory`,
          cause: error,
        });
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

/** The path that denies access: the lock file, or the directory it would be made in. */
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
