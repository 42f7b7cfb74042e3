import { unsupported } from '../../../base/index.ts';
import type { MailMark } from '../../../domain/index.ts';

/** Converts between the port's flags and a status. The table is in docs/flat-file.md. */

export function isRead(status: string): boolean {
  return status !== 'pending';
}

export function isAnswered(status: string): boolean {
  return status === 'actioned';
}

/** The flags that a status expresses. */
export type StatusFlags = Pick<MailMark, 'read' | 'answered'>;

/** The status that expresses these flags; the current one if nothing has to change. */
export function statusFor(now: string, { read, answered }: StatusFlags): string {
  const wantsAnswered = answered ?? isAnswered(now);
  if (wantsAnswered) {
    if (read === false) {
      throw unsupported('a flat file cannot keep a message as answered and unread', {
        hint: 'answered mail has status actioned, which is read; clear answered as well',
      });
    }
    return 'actioned';
  }
  if (read === false) return 'pending';
  if (read === true) return isRead(now) && !isAnswered(now) ? now : 'in-progress';
  return isAnswered(now) ? 'in-progress' : now;
}
