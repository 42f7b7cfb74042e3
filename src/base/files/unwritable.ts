import * as fs from 'node:fs';
import { errnoOf } from '../errors.ts';

/** Less than SQLite needs for its shared memory, without which it cannot even read a write-ahead log. */
const MIN_ROOM = 64 * 1024;

/** Whether there is no room in this directory for more bytes or more files. */
export function isDiskFull(directory: string): boolean {
  try {
    const { blocks, bavail, bsize, files, ffree } = fs.statfsSync(directory);
    return (blocks > 0 && bavail * bsize < MIN_ROOM) || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** Why no account can write in this directory, in a few words; undefined if that is not so. Changes nothing. */
export function whyUnwritable(directory: string): string | undefined {
  const because = isReadOnly(directory)
    ? 'the file system is read-only'
    : isDiskFull(directory)
      ? 'the disk is full'
      : undefined;
  return because && `${directory} cannot be written: ${because}`;
}

function isReadOnly(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.W_OK);
    return false;
  } catch (error) {
    return errnoOf(error) === 'EROFS';
  }
}
