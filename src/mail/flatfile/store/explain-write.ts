import * as path from 'node:path';
import {
  errnoOf,
  explainDisk,
  forbidden,
  isRouseError,
  messageOf,
  unavailable,
} from '../../../base/index.ts';

/** Turns system errors into ones that a person can act on. The original file is untouched in every case. */
export function explainWrite(error: unknown, target: string): unknown {
  if (isRouseError(error)) return error;
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return unavailable(`no room to write a new version of ${target}; it is unchanged`, {
        hint: 'free some space: a mailbox is rewritten beside the old one',
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return forbidden(
        `not allowed to write in ${path.dirname(target)}; ${path.basename(target)} is unchanged`,
        { hint: 'make the directory writable, or use a mailbox in another place', cause: error },
      );
    default:
      return explainDisk(error, `${target} could not be written and is unchanged`);
  }
}

/** The new version is in place, but the disk has not confirmed that it will stay. */
export function notConfirmed(error: unknown, target: string): Error {
  return unavailable(`${target} was written, but is not known to be on disk: ${messageOf(error)}`, {
    hint: 'do the same again when the disk works: what is already there is not done twice',
    cause: error,
  });
}
