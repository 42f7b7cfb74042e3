import { utcSeconds } from '../../../base/index.ts';
import {
  ARCHIVE,
  asParticipant,
  bodyPreview,
  INBOX,
  type MailMessage,
  type MailParticipant,
  makeMailRef,
  OPERATOR,
  parseUtcTime,
} from '../../../domain/index.ts';
import { FLAT_FILE } from '../binding.ts';
import { statusOf } from '../format/envelope.ts';
import { isAnswered, isRead } from './flag-rules.ts';

interface Message {
  ref: string;
  fields: ReadonlyMap<string, string>;
  body?: string;
  preview?: string;
}

/** A block of a flat file as the port shows it. */
export function viewMessage({ ref, fields, body, preview }: Message, box: string): MailMessage {
  const status = statusOf(fields);
  const read = box !== INBOX || isRead(status);
  const parent = firstOf(fields.get('in-reply-to'));
  return {
    message_ref: makeMailRef(FLAT_FILE, ref),
    thread_ref: makeMailRef(FLAT_FILE, fields.get('thread') || parent || ref),
    in_reply_to_ref: parent === undefined ? null : makeMailRef(FLAT_FILE, parent),
    created_at_utc: createdAt(fields),
    subject: fields.get('re') ?? '',
    read,
    answered: isAnswered(status),
    archived: box === ARCHIVE,
    unread: !read,
    box,
    body_preview: preview ?? bodyPreview(body ?? ''),
    ...(body === undefined ? {} : { body_text: body }),
    sender: participant(fields.get('from') ?? ''),
    to: listOf(fields.get('to')).map(participant),
    cc: [],
    reply_to: takesReplies(fields) ? [asParticipant(OPERATOR)] : [],
    attachments: [],
  };
}

/** Empty if unknown. */
export function createdAt(fields: ReadonlyMap<string, string>): string {
  const at = parseUtcTime(fields.get('created') ?? '');
  return at == null ? '' : utcSeconds(new Date(at));
}

/** Whether it is an operator's note that accepts a reply. */
export function takesReplies(fields: ReadonlyMap<string, string>): boolean {
  return fields.get('origin') === 'operator' && fields.get('reply-policy') === 'operator_mailbox';
}

export function listOf(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** in-reply-to may be a list. The first one is the parent. */
const firstOf = (value: string | undefined): string | undefined => listOf(value)[0];

const participant = (address: string): MailParticipant =>
  address === OPERATOR.address ? asParticipant(OPERATOR) : { address };
