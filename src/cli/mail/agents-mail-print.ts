import type { MailMessage } from '../../domain/index.ts';
import type { MailList, MailMany, MailMessageView, MailOne, MailStatus } from '../../wire/index.ts';
import { dayAndTime } from '../gateway/time-words.ts';
import { keyValues, show } from '../print/table.ts';
import { messageTable, pageHead, plural, printable } from './print.ts';

type Message = MailMessageView;

function flags({ unread, answered, archived, attachments }: Message): string {
  const words = [
    unread ? 'unread' : 'read',
    answered && 'answered',
    archived && 'archived',
    attachments.length > 0 && `${attachments.length} attached`,
  ];
  return words.filter(Boolean).join(', ');
}

/** `limit`: the answer is known to be cut there without saying so. */
export function mailTable(list: MailList, asked: { cursor?: unknown; limit?: unknown }): string {
  const { messages, next_cursor } = list;
  const head = pageHead(list.address, list, asked);
  if (messages.length === 0) return head;
  const bodies = messages
    .filter((each) => each.body_text != null)
    .map((each) => `\n${each.message_ref}\n${printable(each.body_text!)}`);
  return [
    head,
    '',
    messageTable(messages as MailMessage[]),
    ...bodies,
    ...(next_cursor ? ['', `more: --cursor ${next_cursor}`] : []),
  ].join('\n');
}

export function mailText({ message, duplicate }: MailOne): string {
  const people = (list: Message['to']): string => list.map((each) => each.address).join(', ');
  const head = keyValues({
    'message ref': message.message_ref,
    from: message.sender.address,
    to: people(message.to),
    ...(message.cc.length > 0 && { cc: people(message.cc) }),
    ...(message.reply_to.length > 0 && { 'reply to': people(message.reply_to) }),
    date: dayAndTime(message.created_at_utc),
    box: `${message.box} (${flags(message)})`,
    subject: message.subject,
    ...(message.attachments.length > 0 && { attached: message.attachments.map(attached) }),
    ...(duplicate && { note: 'this idempotency key was used before; nothing was sent again' }),
  });
  return message.body_text == null ? head : `${head}\n\n${printable(message.body_text)}`;
}

function attached({ label, locator, attachment_id, media_type }: Message['attachments'][number]): string {
  return `${label ?? locator ?? attachment_id} (${media_type})`;
}

export function mailManyText({ operation, messages }: MailMany): string {
  const done = { mark: 'marked', move: 'moved', archive: 'archived' }[operation];
  const rows = messages.map((each) => `  ${each.message_ref}  ${show(each.box)}  ${flags(each)}`);
  return [`${plural(messages.length, 'message')} ${done}`, ...rows].join('\n');
}

export function mailStatusText(status: MailStatus & { execution_path?: string }): string {
  return keyValues({
    address: status.address,
    principal_id: status.principal_id,
    transport: status.transport,
    location: status.location,
    open: status.open_count,
    unread: status.unread_count,
    set_aside: status.set_aside_count,
    bindings_version: status.bindings_version,
    execution_path: status.execution_path,
    ...((status.warnings ?? []).length > 0 && { warnings: status.warnings }),
  });
}
