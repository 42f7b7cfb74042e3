import { conflict, crashPoint } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  contentDigest,
  IDEMPOTENCY_HEADER,
  INBOX,
  idempotencyScope,
  type MailDocument,
  type MailPrincipal,
  recipientsOf,
  SENT,
} from '../../domain/index.ts';
import { noActiveMailbox } from './accounts/no-active-mailbox.ts';
import { bumpVersion, principalOf, type RegistrationRow } from './accounts/registration-rows.ts';
import { insertMessage, insertState, loadDocument, newState } from './message-rows.ts';
import { insertWaits } from './waits/wait-rows.ts';

export interface Delivered {
  seq: number;
  document: MailDocument;
  duplicate: boolean;
  /** The mailboxes that have the message now. */
  mailboxes: { registration: RegistrationRow; box: string }[];
}

/** Returns the active mailboxes of these addresses. Refuses the first unknown one and names the one probably meant. */
export function resolveRecipients(db: Sqlite, active: Lookup, addresses: readonly string[]): MailPrincipal[] {
  return addresses.map((typed) => principalOf(requireRecipient(db, active, typed.trim())));
}

export type Lookup = (address: string) => RegistrationRow | undefined;

function requireRecipient(db: Sqlite, active: Lookup, address: string): RegistrationRow {
  const found = active(address);
  if (found) return found;
  throw noActiveMailbox(db, address);
}

/**
 * Writes every row of one delivery, inside the transaction that is its commit point. A used key is a duplicate if the
 * content is the same, else a conflict; nothing is written in either case.
 */
export function deliver(db: Sqlite, active: Lookup, document: MailDocument): Delivered {
  const earlier = findByKey(db, document);
  if (earlier) return { ...earlier, duplicate: true, mailboxes: [] };
  const sender = requireRecipient(db, active, document.from.address);
  const recipients = recipientsOf(document).map(({ address }) => requireRecipient(db, active, address));
  const seq = insertMessage(db, document);
  insertWaits(db, seq, document);
  const mailboxes = recipients.map((registration) => ({ registration, box: INBOX }));
  if (!recipients.some(({ number }) => number === sender.number)) {
    mailboxes.push({ registration: sender, box: SENT });
  }
  for (const { registration, box } of mailboxes) {
    insertState(db, newState(seq, registration.number, box, box === SENT));
    bumpVersion(db, registration.number);
  }
  crashPoint('mailbox.deliver.rows');
  return { seq, document, duplicate: false, mailboxes };
}

function findByKey(db: Sqlite, document: MailDocument): { seq: number; document: MailDocument } | undefined {
  const key = document.headers[IDEMPOTENCY_HEADER];
  if (typeof key !== 'string') return undefined;
  const row = db.get<{ seq: number; content_sha256: string }>(
    'SELECT seq, content_sha256 FROM messages WHERE idempotency_scope = ? AND idempotency_key = ?',
    [idempotencyScope(document), key],
  );
  if (!row) return undefined;
  const known = loadDocument(db, row.seq);
  if (row.content_sha256 !== contentDigest(document) || !known) {
    throw conflict(
      `idempotency key ${JSON.stringify(key)} was already used for a message with other content`,
      {
        hint: 'a retry must repeat the message exactly; use a new key for a new message',
        facts: { idempotency_key: key, message_id: known?.message_id ?? null },
      },
    );
  }
  return { seq: row.seq, document: known };
}
