import * as path from 'node:path';
import { asRouseError, crashPoint, invalid, isRouseError, utcStamp } from '../../base/index.ts';
import { IDEMPOTENCY_HEADER, type MailDocument, makeMailRef } from '../../domain/index.ts';
import { ANY_FILE } from '../file-access.ts';
import { domainOf, type MailLink, type MailStore, waitingForFleet } from '../filesystem/index.ts';
import type { HeldMessage, Outbox } from '../fleet/outbox.ts';
import { type InspectedFile, inspectFiles } from '../fleet/upload.ts';

export interface OutboxMove {
  store: MailStore;
  link: MailLink;
  outbox: Outbox;
}

/** Key under which a fleet message is delivered here. */
export const keyOf = (fleetId: string): string => `fleet:${fleetId}`;

/**
 * Moves what the linked agent wrote to fleet addresses into the outbox of the link, under its local id, and then out of
 * the inboxes of the stand-ins. A process killed in between finds it in both and continues. Nothing is sent that is not
 * in the outbox first.
 */
export async function moveToOutbox(on: OutboxMove): Promise<void> {
  const { store, link, outbox } = on;
  for (const { messageId, standIns } of waitingForFleet(store, link)) {
    let box = 'archive';
    try {
      const document = store.document(messageId)!;
      if (!outbox.has(messageId)) await outbox.hold(await heldOf(on, document));
    } catch (error) {
      // An unreadable row is set aside and stays in the store. A full disk is not the message's fault.
      if (isRouseError(error)) throw error;
      store.log.warn('mail for the fleet cannot be read', { message_id: messageId, cause: String(error) });
      box = 'set-aside';
    }
    crashPoint('link.in-outbox');
    const refs = [makeMailRef('filesystem', messageId)];
    for (const address of standIns) await store.mailbox(address).move(refs, box);
  }
}

async function heldOf({ store, link }: OutboxMove, document: MailDocument): Promise<HeldMessage> {
  const ofFleet = (people: MailDocument['to']): string[] =>
    people.map(({ address }) => address).filter((address) => domainOf(address) === link.domain);
  const parent = document.in_reply_to === null ? undefined : store.document(document.in_reply_to);
  const key = parent?.headers[IDEMPOTENCY_HEADER];
  const answers =
    typeof key === 'string' && key.startsWith(keyOf('')) ? key.slice(keyOf('').length) : undefined;
  const at = utcStamp(store.clock.now());
  const { message_id, subject, body: body_content } = document;
  const held: HeldMessage = {
    schema_version: 1,
    message_id,
    held_at_utc: at,
    mail: { to: ofFleet(document.to), cc: ofFleet(document.cc), subject, body_content },
    ...(answers !== undefined && { answers }),
    attachments: [],
    tried: false,
  };
  try {
    return { ...held, attachments: await filesOf(store, document) };
  } catch (error) {
    const { code, message } = asRouseError(error);
    return { ...held, refused: { code, message, at_utc: at } };
  }
}

/** The files as they were when the message was written. A file that has changed since is not what was sent. */
async function filesOf(store: MailStore, { attachments }: MailDocument): Promise<InspectedFile[]> {
  const wanted = attachments.map(({ path: file, label }) => ({
    path: path.resolve(store.layout.root, file),
    ...(label !== undefined && { label }),
  }));
  // The sender was allowed to read them.
  const found = await inspectFiles(wanted, ANY_FILE);
  const other = found.findIndex(({ sha256 }, n) => {
    const { kind, sha256: was } = attachments[n]!;
    return sha256 !== (was ?? (kind === 'managed_copy' ? sha256 : undefined));
  });
  if (other === -1) return found;
  throw invalid(`${wanted[other]!.path} was changed after the message was written`, {
    hint: 'send it again, with --attach-copy',
  });
}
