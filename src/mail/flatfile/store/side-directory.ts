import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  commandLine,
  conflict,
  ensurePrivateDirectory,
  errnoOf,
  forbidden,
  type RouseError,
} from '../../../base/index.ts';
import type { MailboxPaths } from './mailbox-path.ts';

/** Makes the directory of the lock. Refuses one that someone else could have planted. */
export function ensureSide(paths: MailboxPaths): void {
  const scoped = path.dirname(paths.side) === paths.directory;
  if (scoped) ensureScoped(paths);
  else ensurePrivate(paths.side);
}

function ensureScoped(paths: MailboxPaths): void {
  const { side } = paths;
  const found = fs.lstatSync(side, { throwIfNoEntry: false });
  if (found) {
    if (!found.isDirectory()) throw notDirectory(side);
    return;
  }
  try {
    makeSideDirectory(paths, side);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}

/** Everyone who may write the mailbox may use its side files; no one else may. */
export function makeSideDirectory(paths: MailboxPaths, directory: string): void {
  const { owner, shared } = paths;
  fs.mkdirSync(directory, { mode: 0o700 });
  try {
    if (process.getuid?.() === 0) fs.chownSync(directory, owner.uid, owner.gid);
    else if (shared) fs.chownSync(directory, -1, owner.gid);
    if (shared) fs.chmodSync(directory, 0o2770);
  } catch (error) {
    // A half-made directory would lock everyone else out.
    discard(directory);
    if (errnoOf(error) !== 'EPERM') throw error;
    throw forbidden(
      `not allowed to share ${directory} with the group (gid ${owner.gid}) of ${paths.directory}`,
      {
        hint: 'join that group, or give the directory a group you are in',
        cause: error,
      },
    );
  }
}

function discard(directory: string): void {
  try {
    fs.rmdirSync(directory);
  } catch {
    // Another process of this user has already put something there.
  }
}

/** Sets mode and owner of a new side file so that every user of the mailbox can use it, whatever the umask. */
export function openToUsers(paths: MailboxPaths, fd: number): void {
  const stat = fs.fstatSync(fd);
  const uid = process.getuid?.();
  if (uid === 0 && stat.uid !== paths.owner.uid) fs.fchownSync(fd, paths.owner.uid, paths.owner.gid);
  const mode = sideMode(paths);
  if ((stat.mode & mode) !== mode && (uid === 0 || stat.uid === uid)) fs.fchmodSync(fd, mode);
}

function ensurePrivate(side: string): void {
  const base = path.dirname(side);
  ensurePrivateDirectory(side);
  for (const directory of [base, side]) {
    const stat = fs.lstatSync(directory);
    if (!stat.isDirectory()) throw notDirectory(directory);
    if (stat.uid !== process.getuid?.() || (stat.mode & 0o022) !== 0) {
      throw conflict(`${directory} can be written by others; refusing to keep mailbox locks there`, {
        hint: commandLine`make it yours alone: chmod 700 ${directory}`,
      });
    }
  }
}

function notDirectory(directory: string): RouseError {
  return conflict(`${directory} is not a directory; refusing to keep mailbox locks there`);
}

/** Mode of a lock file: writable by the group if the mailbox is shared. */
export function sideMode(paths: MailboxPaths): number {
  return paths.shared ? 0o660 : 0o600;
}
