import type { Sqlite } from '../../../db/index.ts';
import { INBOX, type MailDocument, recipientsOf, SENT } from '../../../domain/index.ts';
import { boxesOf, folderOf, linkedIn } from '../accounts/mailbox-folder.ts';
import { bumpVersion, type RegistrationRow } from '../accounts/registration-rows.ts';
import { insertMessage, insertState, newState } from '../message-rows.ts';
import { type StateLine, stateKey } from '../publish/state-journal.ts';
import type { Layout } from '../root/layout.ts';
import { insertWaits } from '../waits/wait-rows.ts';

export type KnownState = Omit<StateLine, 'kind'>;

/** What is known about flags and boxes besides the message files, best source first. */
export interface Memory {
  states: Map<string, KnownState>;
  /** Box folders, by registration id: message id → box. */
  folders: Map<string, Map<string, string>>;
}

export interface ImportCounts {
  restored: number;
  defaulted: number;
}

/**
 * Adds a message that only its file or an older index has. A mailbox gets it if some source records it there, or if
 * the mailbox was registered before the message and is among its recipients.
 */
export function importMessage(
  db: Sqlite,
  document: MailDocument,
  {
    registrations,
    memory,
    counts,
  }: { registrations: readonly RegistrationRow[]; memory: Memory; counts: ImportCounts },
): number {
  const seq = insertMessage(db, document);
  insertWaits(db, seq, document);
  const recipients = new Set(recipientsOf(document).map(({ address }) => address));
  for (const registration of registrations) {
    const isRecipient = recipients.has(registration.address);
    if (!isRecipient && registration.address !== document.from.address) continue;
    const known = memory.states.get(stateKey(registration.registration_id, document.message_id));
    const linked = memory.folders.get(registration.registration_id)?.get(document.message_id);
    const since = registration.status === 'active' && registration.created_at_utc <= document.created_at_utc;
    if (!known && linked === undefined && !since) continue;
    const box = known?.box ?? linked ?? (isRecipient ? INBOX : SENT);
    const read = known ? known.is_read === 1 : box !== INBOX && !(isRecipient && box !== 'archive');
    insertState(db, {
      ...newState(seq, registration.number, box, read),
      ...(known
        ? { is_answered: known.is_answered, is_starred: known.is_starred, is_deleted: known.is_deleted }
        : {}),
    });
    bumpVersion(db, registration.number);
    if (known || linked !== undefined) counts.restored++;
    else counts.defaulted++;
  }
  return seq;
}

/** Which box each message is linked in, as the folders show it. The archive wins over the inbox. */
export function rememberFolders(
  layout: Layout,
  registrations: readonly RegistrationRow[],
): Memory['folders'] {
  const folders: Memory['folders'] = new Map();
  for (const registration of registrations) {
    const folder = folderOf(layout, registration);
    const boxes = new Map<string, string>();
    // A message interrupted between two boxes is in both. Its destination comes later in this order.
    for (const box of boxesOf(folder).sort((a, b) => Number(a !== INBOX) - Number(b !== INBOX))) {
      for (const messageId of linkedIn(folder, box)) boxes.set(messageId, box);
    }
    folders.set(registration.registration_id, boxes);
  }
  return folders;
}
