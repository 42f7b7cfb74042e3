import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLine, errnoOf, forbidden, invalid, messageOf } from '../base/index.ts';

/** More than a person writes by hand. */
const MAX_BYTES = 64 * 1024;

/** A file with the bytes that were checked. */
export interface CarefulFile {
  path: string;
  bytes: Buffer;
}

/**
 * The bytes of a file that only this account or root can have written; undefined when there is none. It is opened without
 * blocking, so that a pipe cannot hang the command, and the open file is checked, so that it cannot be exchanged in between.
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
      throw invalid(`${file} is not a regular file`);
    default:
      throw invalid(`${file} cannot be read: ${messageOf(error)}`);
  }
}

/** The directory is closed to this account, such as the home of the user who called sudo. Then the file is not meant for it. */
function isOutOfReach(file: string): boolean {
  try {
    fs.lstatSync(file);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EACCES';
  }
}

function judge(file: string, stat: fs.Stats): void {
  if (!stat.isFile()) throw invalid(`${file} is not a regular file`, { hint: 'remove it' });
  if (!isOwn(stat))
    throw forbidden(`${file} belongs to another account (uid ${stat.uid})`, {
      hint: 'only your own files are used: copy it, or chown it',
    });
  if (isWrittenByOthers(stat))
    throw forbidden(`${file} can be written by other accounts`, { hint: commandLine`chmod go-w ${file}` });
}

/** In a directory where others may rename files, the file could be theirs. With the sticky bit they may not. */
function judgeDirectory(directory: string): void {
  const stat = fs.statSync(directory);
  const sticky = (stat.mode & 0o1000) !== 0;
  if ((stat.mode & 0o002) !== 0 && !sticky)
    throw forbidden(`${directory} can be written by every account, so its .rouse.toml is ignored`, {
      hint: commandLine`chmod o-w ${directory}`,
    });
}

/** On most systems, a group with the number of the owner is the owner's private group. */
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
