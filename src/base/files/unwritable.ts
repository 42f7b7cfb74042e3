import * as fs from 'node:fs';
import { errnoOf } from '../errors.ts';

/** Less than SQLite needs for its shared memory, without which a write-ahead log cannot even be read. */
const LEAST_ROOM = 64 * 1024;

/** Whether there is no room for anything in this directory: neither bytes nor files. */
export function isDiskFull(directory: string): boolean {
  try {
    const { blocks, bavail, bsize, files, ffree } = fs.statfsSync(directory);
    return (blocks > 0 && bavail * bsize < LEAST_ROOM) || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** Why nobody can write anything in this directory, in a few words; undefined when somebody may. Changes nothing. */
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
