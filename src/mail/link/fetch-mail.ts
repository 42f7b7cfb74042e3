import * as fs from 'node:fs';
import * as path from 'node:path';
import { crashPoint, invalid, isRouseError, messageOf, unavailable } from '../../base/index.ts';
import {
  INBOX,
  isMessageId,
  localPart,
  type MailMessage,
  makeMailRef,
  OPERATOR,
  parseMailRef,
} from '../../domain/index.ts';
import { ANY_FILE } from '../file-access.ts';
import { domainOf, linkDirectory, type MailLink, type MailStore, standIn } from '../filesystem/index.ts';
import { fleetMessageId } from '../fleet/download.ts';
import type { FleetMailbox } from '../fleet/fleet-mailbox.ts';
import type { MailSent } from '../port.ts';
import { keyOf } from './move-to-outbox.ts';

/** The message is at fault and will still be tomorrow. */
const FOR_GOOD = new Set(['invalid', 'unsupported', 'forbidden']);

interface MailFetch {
  store: MailStore;
  link: MailLink;
  fleet: FleetMailbox;
}

/**
 * Delivers the agent's mail from the server here once, under a key made from its id, and archives it there. A process
 * killed in between delivers it again, which is the same message. One message that cannot be had does not hold up the
 * others.
 */
export async function fetchMail(on: MailFetch): Promise<void> {
  const { fleet } = on;
  const { messages } = await fleet.list({ box: INBOX });
  let failure: unknown;
  for (const { message_ref } of messages.toReversed()) {
    try {
      await fetchOne(on, message_ref);
    } catch (error) {
      if (isRouseError(error) && FOR_GOOD.has(error.code)) {
        await putAside(on, message_ref, error);
      } else failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

async function fetchOne({ store, link, fleet }: MailFetch, ref: string): Promise<void> {
  const id = fleetMessageId(ref);
  const message = await fleet.peek(ref);
  const missing = message.attachments.find(({ locator }) => locator === undefined);
  if (missing) throw unavailable(`attachment ${missing.attachment_id} of ${id} cannot be had now`);
  await delivered({ store, link }, message, keyOf(id)).catch((error: unknown) => {
    // Only this message has this key, so it is already here, and the message it replies to is gone.
    if (isRouseError(error) && error.code === 'conflict' && error.facts['idempotency_key'] === keyOf(id))
      return;
    throw error;
  });
  crashPoint('link.brought');
  await fleet.archive([ref]);
  fs.rmSync(path.join(linkDirectory(store.layout, link.address), 'attachments', id), {
    recursive: true,
    force: true,
  });
}

/** Posts a note to the agent. The message stays on the server. */
async function putAside({ store, link, fleet }: MailFetch, ref: string, error: Error): Promise<void> {
  await store.mailbox(link.address).post({
    subject: 'mail of the fleet that cannot be delivered here',
    body_content: `${ref}: ${messageOf(error)}\nIt is kept on the server, in the box "set-aside".`,
    reply_policy: 'none',
    idempotency_key: `set-aside:${parseMailRef('fleet', ref)}`,
  });
  await fleet.move([ref], 'set-aside');
}

/** Delivers from the sender's stand-in: as a reply to what was written to it, else as new mail. */
async function delivered(
  { store, link }: Omit<MailFetch, 'fleet'>,
  message: MailMessage,
  idempotency_key: string,
): Promise<MailSent> {
  const from = fleetAddress(message.sender.address, link.domain);
  // No sender of a fleet may write as a mailbox of this host.
  if (domainOf(from) !== link.domain) throw invalid(`${from} is no address of ${link.domain}`);
  standIn(store, from);
  const mailbox = store.mailbox(from);
  const mail = {
    body_content: message.body_text ?? '',
    idempotency_key,
    attachments: message.attachments.map(({ locator, label }) => ({
      copy: true,
      path: locator!,
      ...(label !== undefined && { label }),
    })),
  };
  const parent = answered(message);
  if (parent !== undefined && (await has(mailbox, parent)))
    return mailbox.reply({ message_ref: parent, ...mail }, ANY_FILE);
  return mailbox.send({ to: [link.address], subject: message.subject, ...mail }, ANY_FILE);
}

/** People of the org share one address, which is the same in every store. Here it would be this host's operator. */
function fleetAddress(address: string, domain: string): string {
  return address === OPERATOR.address ? `${localPart(address)}@${domain}` : address;
}

/** Mail from here has the same id there. */
function answered({ in_reply_to_ref: ref }: MailMessage): string | undefined {
  if (ref === null) return undefined;
  const id = parseMailRef('fleet', ref);
  return isMessageId(id) ? makeMailRef('filesystem', id) : undefined;
}

function has(mailbox: ReturnType<MailStore['mailbox']>, ref: string): Promise<boolean> {
  return mailbox.peek(ref).then(
    () => true,
    (error: unknown) => {
      if (isRouseError(error) && error.code === 'not_found') return false;
      throw error;
    },
  );
}
