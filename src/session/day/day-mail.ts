import { isRouseError } from '../../base/index.ts';
import {
  cleanLine,
  type DayMail,
  isFromRouse,
  type MailMessage,
  type MailParticipant,
  OPERATOR,
  ROUSE_NAME,
} from '../../domain/index.ts';
import type { Mailbox } from '../../mail/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import type { HostMail } from '../host-mail.ts';
import { type ManifestFacts, mailboxOf } from '../records/manifest-facts.ts';
import type { DaySpan } from './day-span.ts';

const MAX_MAILS = 500;
const MAX_SUBJECT = 300;

export interface MailBetween {
  mail: DayMail[];
  truncated: boolean;
}

/** What the agent received and sent; nothing if it has no mailbox. */
export async function mailBetween(mail: HostMail, facts: ManifestFacts, span: DaySpan): Promise<MailBetween> {
  const address = mailboxOf(facts)?.['address'];
  if (typeof address !== 'string') return { mail: [], truncated: false };
  try {
    return await mail.open(address, (mailbox) => inBoxes(mailbox, span));
  } catch (error) {
    // Its mailbox was removed with it.
    if (isRouseError(error) && error.code === 'not_found') return { mail: [], truncated: false };
    throw error;
  }
}

/** Oldest first. */
export async function inBoxes(mailbox: Mailbox, span: DaySpan): Promise<MailBetween> {
  const boxes = mailbox.capabilities.sent_box ? ['inbox', 'archive', 'sent'] : ['inbox', 'archive'];
  const pages = await Promise.all(
    boxes.map((box) => mailbox.list({ box, since: span.fromUtc, limit: MAX_MAILS })),
  );
  const messages = pages.flatMap((page) => page.messages);
  return {
    mail: messages
      .filter(({ created_at_utc: at }) => Date.parse(at) <= Date.parse(span.toUtc))
      .map((message) => dayMail(message, mailbox.address)),
    truncated: pages.some(({ truncated }) => truncated),
  };
}

function dayMail(message: MailMessage, own: string): DayMail {
  const { sender, to, created_at_utc: at_utc, message_ref, subject, box } = message;
  const sent = box === 'sent';
  const others = sent ? to : [sender];
  return {
    at_utc,
    direction: sent ? 'sent' : 'received',
    with: cleanLine(others.map((each) => shown(each, own)).join(', '), MAX_SUBJECT),
    subject: cleanLine(subject, MAX_SUBJECT),
    state: sent ? 'sent' : stateOf(message),
    message_ref,
  };
}

function stateOf({ answered, box, read }: MailMessage): string {
  if (answered) return 'answered';
  if (box === 'archive') return 'archived';
  return read ? 'read' : 'unread';
}

/** `ana` for an agent of this host, `you` for the person, `Rouse` for its own mail. */
function shown(participant: MailParticipant, own: string): string {
  const { address } = participant;
  if (isFromRouse(participant)) return ROUSE_NAME;
  if (address === OPERATOR.address) return 'you';
  if (address === own) return 'itself';
  const local = `@${LOCAL_DOMAIN}`;
  return address.endsWith(local) ? address.slice(0, -local.length) : address;
}
