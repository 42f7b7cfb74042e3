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

/** Makes the directory of lock and journal; refuses one that somebody else could have planted. */
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

/** Whoever may write the mailbox may use what belongs to it; nobody else may. */
export function makeSideDirectory(paths: MailboxPaths, directory: string): void {
  const { owner, shared } = paths;
  fs.mkdirSync(directory, { mode: 0o700 });
  try {
    if (process.getuid?.() === 0) fs.chownSync(directory, owner.uid, owner.gid);
    else if (shared) fs.chownSync(directory, -1, owner.gid);
    if (shared) fs.chmodSync(directory, 0o2770);
  } catch (error) {
    // Half made it would shut out everybody else.
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
    // Another process of this user has put something there already.
  }
}

/** Gives a new side file the mode and owner that let every user of the mailbox use it, whatever the umask. */
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

/** Mode for a lock or journal file: the group's too where the mailbox is shared. */
export function sideMode(paths: MailboxPaths): number {
  return paths.shared ? 0o660 : 0o600;
}
