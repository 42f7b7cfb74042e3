import { crashPoint, notFound } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { ARCHIVE, makeMailRef } from '../../domain/index.ts';
import type { RegistrationRow } from './accounts/registration-rows.ts';
import { bumpVersion } from './accounts/registration-rows.ts';
import { FILESYSTEM } from './binding.ts';
import type { StateLine } from './publish/state-journal.ts';
import { endWaits } from './waits/wait-rows.ts';

export interface OwnMessage {
  seq: number;
  message_id: string;
  created_at_utc: string;
  box: string;
  is_read: number;
  is_answered: number;
  is_starred: number;
}

export interface FlagChange {
  read?: boolean | undefined;
  answered?: boolean | undefined;
  box?: string | undefined;
}

/** Returns a message of this mailbox, or throws `not_found`. */
export function requireOwnMessage(
  db: Sqlite,
  registration: RegistrationRow,
  messageId: string,
  box?: string | null,
): OwnMessage {
  const found = db.get<OwnMessage>(
    `SELECT s.seq, m.message_id, m.created_at_utc, s.box, s.is_read, s.is_answered, s.is_starred
     FROM messages m JOIN mail_state s ON s.seq = m.seq AND s.registration = ?
     WHERE m.message_id = ? AND s.is_deleted = 0`,
    [registration.number, messageId],
  );
  const ref = makeMailRef(FILESYSTEM, messageId);
  if (!found) {
    throw notFound(`no message ${ref} in mailbox ${registration.address}`, {
      hint: 'use a message_ref exactly as list or search of this mailbox shows it',
    });
  }
  if (box != null && found.box !== box) {
    throw notFound(`message ${ref} is in box ${found.box}, not in ${box}`, { facts: { box: found.box } });
  }
  return found;
}

/**
 * Changes flags or box of one message, inside a transaction. Archived mail is always read. Returns the line for the
 * journal, or undefined if nothing changed.
 */
export function changeFlags(
  db: Sqlite,
  registration: RegistrationRow,
  { message, change }: { message: OwnMessage; change: FlagChange },
): StateLine | undefined {
  const box = change.box ?? message.box;
  const next = {
    box,
    is_read: Number(change.read ?? message.is_read === 1) || Number(change.box === ARCHIVE),
    is_answered: Number(change.answered ?? message.is_answered === 1),
  };
  const same =
    next.box === message.box && next.is_read === message.is_read && next.is_answered === message.is_answered;
  if (same) return undefined;
  db.run('UPDATE mail_state SET box = ?, is_read = ?, is_answered = ? WHERE seq = ? AND registration = ?', [
    next.box,
    next.is_read,
    next.is_answered,
    message.seq,
    registration.number,
  ]);
  endWaits(db, registration.address, { seq: message.seq, ...next });
  bumpVersion(db, registration.number);
  crashPoint('mailbox.flags.rows');
  return {
    kind: 'state',
    registration_id: registration.registration_id,
    message_id: message.message_id,
    ...next,
    is_starred: message.is_starred,
    is_deleted: 0,
  };
}
