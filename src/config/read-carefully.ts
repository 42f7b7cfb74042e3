import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLine, errnoOf, forbidden, invalid, messageOf } from '../base/index.ts';

/** More than anybody writes by hand. */
const MAX_BYTES = 64 * 1024;

/** A file and what it said when it was judged. */
export interface CarefulFile {
  path: string;
  bytes: Buffer;
}

/**
 * The bytes of a file that only its reader or root can have written; undefined when there is none. Opened without
 * waiting, so that a pipe holds up nobody, and judged by what was opened, so that nobody can change it in between.
 */
export function readCarefully(
  file: string,
  { links }: { links: 'followed' | 'refused' },
): CarefulFile | undefined {
  const nofollow = links === 'refused' ? fs.constants.O_NOFOLLOW : 0;
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | nofollow);
  } catch (error) {
    return unreadable(file, error);
  }
  try {
    judge(file, fs.fstatSync(fd));
    if (links === 'refused') judgeDirectory(path.dirname(file));
    return { path: file, bytes: readBounded(file, fd) };
  } finally {
    fs.closeSync(fd);
  }
}

function unreadable(file: string, error: unknown): undefined {
  switch (errnoOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return undefined;
    case 'ELOOP':
      throw forbidden(`${file} is a symbolic link, which is not followed`, {
        hint: 'put the file itself there',
      });
    case 'EACCES':
    case 'EPERM':
      if (isOutOfReach(file)) return undefined;
      throw forbidden(`${file} may not be read: ${messageOf(error)}`, { hint: 'chown or remove it' });
    case 'ENXIO':
      throw invalid(`${file} is no regular file`);
    default:
      throw invalid(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** In a directory that is closed to this account, such as the home of whoever called sudo: it is not this account's file. */
function isOutOfReach(file: string): boolean {
  try {
    fs.lstatSync(file);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EACCES';
  }
}

function judge(file: string, stat: fs.Stats): void {
  if (!stat.isFile()) throw invalid(`${file} is no regular file`, { hint: 'remove it' });
  if (!isOwn(stat))
    throw forbidden(`${file} belongs to another account (uid ${stat.uid})`, {
      hint: 'a file of your own is obeyed: copy it, or chown it',
    });
  if (isWrittenByOthers(stat))
    throw forbidden(`${file} can be written by other accounts`, { hint: commandLine`chmod go-w ${file}` });
}

/** Where others may rename files, the one that is read may be anybody's; with the sticky bit they may not. */
function judgeDirectory(directory: string): void {
  const stat = fs.statSync(directory);
  const sticky = (stat.mode & 0o1000) !== 0;
  if ((stat.mode & 0o002) !== 0 && !sticky)
    throw forbidden(`${directory} can be written by every account, so its .rouse.toml is not obeyed`, {
      hint: commandLine`chmod o-w ${directory}`,
    });
}

/** The group of the same number as its owner is that account's own, by the custom of most systems. */
function isWrittenByOthers({ mode, uid, gid }: fs.Stats): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);
}

function isOwn({ uid }: fs.Stats): boolean {
  return uid === 0 || uid === process.getuid?.();
}

function readBounded(file: string, fd: number): Buffer {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = fs.readSync(fd, bytes, length, bytes.length - length, null);
  if (length > MAX_BYTES) throw invalid(`${file} is larger than ${MAX_BYTES} bytes`);
  return bytes.subarray(0, length);
}
