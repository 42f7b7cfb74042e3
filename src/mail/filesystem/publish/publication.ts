import * as fs from 'node:fs';
import type { Sqlite } from '../../../db/index.ts';
import type { MailDocument } from '../../../domain/index.ts';
import { clearLinks, folderOf, linkPath, linkToMake, removeLink } from '../accounts/mailbox-folder.ts';
import { type RegistrationRow, registrationByNumber } from '../accounts/registration-rows.ts';
import { fileToMake, messageFile, messageFileIsGood } from '../message-file.ts';
import { loadDocument, statesOf } from '../message-rows.ts';
import type { Layout } from '../root/layout.ts';
import type { ToMake } from './make-visible.ts';

/** Where a message is now, in one mailbox. */
export interface Placement {
  registration: RegistrationRow;
  box: string;
  formerBox?: string;
}

/** What must become visible of one message after a commit. */
export interface Publication {
  seq: number;
  message: Pick<MailDocument, 'message_id' | 'created_at_utc'>;
  /** Present for a new message, whose file is written too. */
  document?: MailDocument | undefined;
  placements: readonly Placement[];
}

/** What is remembered until the flush. Never the text. */
export type Published = Pick<Publication, 'message' | 'placements'>;

export function publishedPart({ message, placements }: Publication): Published {
  const { message_id, created_at_utc } = message;
  return { message: { message_id, created_at_utc }, placements };
}

export function toMake(layout: Layout, { message, document, placements }: Publication): ToMake {
  return {
    ...(document ? { file: fileToMake(layout, document) } : {}),
    links: placements.map(({ registration, box, formerBox }) =>
      linkToMake(layout, {
        folder: folderOf(layout, registration),
        box,
        formerBox,
        messageId: message.message_id,
        createdAtUtc: message.created_at_utc,
      }),
    ),
  };
}

/** All of one message as the index has it, with its file if that is missing or wrong. */
export function wholePublication(db: Sqlite, layout: Layout, seq: number): Publication | undefined {
  const document = loadDocument(db, seq);
  if (!document) return undefined;
  const placements = statesOf(db, seq).flatMap((state) => {
    const registration = registrationByNumber(db, state.registration);
    if (!registration || registration.status === 'inactive') return [];
    const shown = state.is_deleted === 0 ? [state.box] : [];
    clearLinks(folderOf(layout, registration), document.message_id, shown);
    return shown.map((box) => ({ registration, box }));
  });
  const good = messageFileIsGood(layout, document);
  return { seq, message: document, document: good ? undefined : document, placements };
}

/** Where the index has a message now. */
export interface PlaceNow {
  seq: number;
  registration: number;
  box: string;
  mailbox_path: string;
}

/** Reads the places of all these messages with one query, grouped by message. */
export function placesNow(db: Sqlite, seqs: readonly number[]): Map<number, PlaceNow[]> {
  const rows = db.all<PlaceNow>(
    `SELECT s.seq, s.registration, s.box, r.mailbox_path FROM json_each(?) due
     CROSS JOIN mail_state s ON s.seq = due.value
     CROSS JOIN mailbox_registrations r ON r.number = s.registration
     WHERE s.is_deleted = 0`,
    [JSON.stringify(seqs)],
  );
  const places = new Map<number, PlaceNow[]>();
  for (const row of rows) {
    const known = places.get(row.seq);
    if (known) known.push(row);
    else places.set(row.seq, [row]);
  }
  return places;
}

/**
 * Call after file and links were made. Another process may have moved or removed the message in the meantime; links
 * that we made too late are removed. Returns false if the message is elsewhere now: our link may have replaced or
 * removed the other one, so the whole message has to be checked.
 */
export function dropOvertaken(
  db: Sqlite,
  layout: Layout,
  { seq, message, placements, document }: Publication,
  now: readonly PlaceNow[],
): boolean {
  let settled = true;
  for (const { registration, box } of placements) {
    const row = now.find((each) => each.registration === registration.number);
    const moved = row !== undefined && row.mailbox_path !== registration.mailbox_path;
    if (row?.box === box && !moved) continue;
    if (row !== undefined) settled = false;
    removeLink(linkPath({ folder: folderOf(layout, registration), box, messageId: message.message_id }));
  }
  if (document && now.length === 0 && !db.get('SELECT 1 FROM messages WHERE seq = ?', [seq])) {
    fs.rmSync(messageFile(layout, message), { force: true });
  }
  return settled;
}

/** What must be flushed before the index may drop its note that this had to be published. */
export function pathsOf(layout: Layout, { message, placements }: Published): string[] {
  const boxes = placements.flatMap(({ registration, box, formerBox }) =>
    [box, formerBox]
      .filter((name) => name !== undefined)
      .map((name) => `${folderOf(layout, registration)}/${name}`),
  );
  return [messageFile(layout, message), ...boxes];
}
