import * as fs from 'node:fs';
import { errnoOf, explainDisk, forbidden, isRouseError, messageOf } from '../../../base/index.ts';

/** SQLite codes: the file is read-only, or cannot be opened. */
const READ_ONLY = 8;
const CANNOT_OPEN = 14;

/** Turns a system error about a root into one that a person can act on. */
export function explainRoot(error: unknown, root: string): unknown {
  const errno = errnoOf(isRouseError(error) ? error.cause : error);
  switch (errno) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return notAllowed(error, root);
    case 'ENOSPC':
    case 'EDQUOT':
      return explainDisk(error, `no room on the disk for mailbox root ${root}`);
    default:
      return isRouseError(error) && isLockedOut(error.facts['sqlite_code'], root)
        ? notAllowed(error, root)
        : explainDisk(error, `mailbox root ${root} cannot be used`);
  }
}

function notAllowed(error: unknown, root: string): Error {
  return forbidden(`not allowed to use mailbox root ${root}: ${messageOf(error)}`, {
    hint: 'run as the user who owns it, who must be able to write there, or name another with --mailbox-root',
    cause: error,
  });
}

function isLockedOut(sqliteCode: unknown, root: string): boolean {
  if (typeof sqliteCode !== 'number' || ![READ_ONLY, CANNOT_OPEN].includes(sqliteCode & 0xff)) return false;
  try {
    fs.accessSync(root, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    return (sqliteCode & 0xff) === READ_ONLY;
  } catch {
    return true;
  }
}

/** Runs what opens or makes a root. System errors name the root. */
export function explained<T>(root: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainRoot(error, root);
  }
}
