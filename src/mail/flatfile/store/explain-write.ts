import * as path from 'node:path';
import { errnoOf, forbidden, isRouseError, unavailable } from '../../../base/index.ts';

/** System errors as something a person can act on. The original file is untouched in every case. */
export function explainWrite(error: unknown, target: string): unknown {
  if (isRouseError(error)) return error;
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return unavailable(`no room to write a new version of ${target}; it is unchanged`, {
        hint: 'free some space: a mailbox is written anew beside the old one',
        cause: error,
      });
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return forbidden(
        `not allowed to write in ${path.dirname(target)}; ${path.basename(target)} is unchanged`,
        {
          cause: error,
        },
      );
    default:
      return error;
  }
}
