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
  systemClock,
  tryLockFile,
  unavailable,
} from '../../../base/index.ts';
import { explainWrite } from './explain-write.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { ensureSide, openToUsers, sideMode } from './side-directory.ts';
import { Writers } from './writers.ts';

export const DEFAULT_TIMEOUT_MS = 30_000;

export interface HoldOptions {
  timeoutMs?: number | undefined;
  /** Take the shell recipe's lock in /tmp as well, also in an `.agent` directory; elsewhere it is always taken. */
  compatLock?: boolean | undefined;
  clock?: Clock | undefined;
  signal?: AbortSignal | undefined;
}

/** The writers of one mailbox in this process, and the lock file they wait for. */
interface Line {
  turns: Writers;
  at: string;
}

const lines = new Map<string, Line>();

/** Runs `work` while this mailbox is locked; `unavailable` when the lock stays taken. */
export function holdMailbox<T>(
  paths: MailboxPaths,
  options: HoldOptions,
  work: () => Promise<T>,
): Promise<T> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock, signal } = options;
  const run = async (): Promise<T> => {
    const extra =
      options.compatLock && paths.scoped ? await lockOne(paths, paths.seedLock, options) : undefined;
    try {
      return await work();
    } catch (error) {
      throw explainWrite(error, paths.mailbox);
    } finally {
      extra?.release();
    }
  };
  const line = lineOf(paths, clock);
  return new Promise((resolve, reject) => {
    line.turns.add({
      timeoutMs,
      signal,
      run: () => run().then(resolve, reject),
      refuse: (error) => reject(error ?? lockTimeout(paths, line.at, timeoutMs)),
    });
  });
}

/** Resolves when this process neither holds the lock of this mailbox nor waits for it. */
export async function mailboxIdle(paths: MailboxPaths): Promise<void> {
  await lines.get(paths.lock)?.turns.idle();
}

function lineOf(paths: MailboxPaths, clock: Clock): Line {
  const known = lines.get(paths.lock);
  if (known) return known;
  const turns = new Writers({ clock, lock: (options) => lockAll(paths, line, { ...options, clock }) });
  const line: Line = { turns, at: mainLock(paths) };
  lines.set(paths.lock, line);
  return line;
}

/**
 * In this order, everywhere. Outside an `.agent` directory the recipe's lock comes first, and then ours, for programs that know
 * only that one.
 */
async function lockAll(paths: MailboxPaths, line: Line, options: HoldOptions): Promise<{ release(): void }> {
  const locks: FileLock[] = [];
  const release = (): void => {
    for (const lock of locks.reverse()) lock.release();
  };
  try {
    for (line.at of paths.scoped ? [paths.lock] : [paths.seedLock, paths.lock])
      locks.push(await lockOne(paths, line.at, options));
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}

async function lockOne(
  paths: MailboxPaths,
  file: string,
  { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock, signal }: HoldOptions,
): Promise<FileLock> {
  try {
    ensureSide(paths);
    const shared = file === paths.seedLock;
    const mode = sideMode(paths);
    const lock = await lockFile(file, { timeoutMs, clock, mode, shared, ...(signal ? { signal } : {}) });
    if (!shared) openToUsers(paths, lock.fd);
    return lock;
  } catch (error) {
    throw isRouseError(error) && error.facts['lock_timeout'] === true
      ? lockTimeout(paths, file, timeoutMs)
      : explainLock(error, paths, file);
  }
}

/** The one that every writer of this mailbox takes. */
const mainLock = ({ scoped, lock, seedLock }: MailboxPaths): string => (scoped ? lock : seedLock);

/** The lock that scripts take, there for them to open. */
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

/** As far as they can be known. */
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
