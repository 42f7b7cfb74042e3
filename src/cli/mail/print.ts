import type { MailAttachment, MailMessage, MailParticipant } from '../../domain/index.ts';
import type { Mailbox, MailPage, MailSent } from '../../mail/index.ts';
import type { Output } from '../command.ts';
import { keyValues, show, table } from '../print/table.ts';

/** What every answer of a mail command carries: who was asked, and that the store itself answered. */
export function envelope(mailbox: Mailbox, operation: string, payload: object): object {
  const { transport, principal_id, address } = mailbox;
  return {
    schema_version: 1,
    operation,
    authoritative: true,
    status: 'verified',
    execution_path: 'manager_direct',
    transport,
    principal_id,
    address,
    ...payload,
  };
}

/** Counts are those of the page: they are told as the box's only when the page is all of it. */
export function pageHead(
  address: string,
  {
    box,
    message_count,
    unread_count,
    next_cursor,
  }: Pick<MailPage, 'box' | 'message_count' | 'unread_count'> & {
    next_cursor?: string | null | undefined;
  },
  { limit, cursor }: Record<string, unknown>,
): string {
  const isPart = next_cursor != null || cursor !== undefined || message_count === limit;
  const count = `${plural(message_count, 'message')}${isPart ? ' on this page' : ''}`;
  return `${box ?? 'every box'} of ${address}: ${count}, ${unread_count} unread`;
}

export function printPage(
  mailbox: Mailbox,
  { operation, flags }: { operation: string; flags: Record<string, unknown> },
  page: MailPage,
): Output {
  const head = pageHead(mailbox.address, page, operation === 'list' ? { cursor: flags['cursor'] } : flags);
  const more = page.next_cursor === null ? [] : ['', `more: --cursor ${page.next_cursor}`];
  return {
    data: envelope(mailbox, operation, page),
    plain: page.messages.length === 0 ? head : [head, '', messageTable(page.messages), ...more].join('\n'),
  };
}

/** `*` is unread, `r` answered. */
export function messageTable(messages: readonly MailMessage[]): string {
  const boxes = new Set(messages.map(({ box }) => box));
  return table(messages, [
    { title: '', value: ({ unread, answered }) => (unread ? '*' : answered ? 'r' : ' ') },
    { title: 'date (utc)', value: ({ created_at_utc: at }) => at.slice(0, 16).replace('T', ' ') },
    // The address: a name is whatever its owner calls himself.
    { title: 'from', value: ({ sender }) => sender.address, max: 40 },
    { title: 'subject', value: ({ subject }) => subject, max: 48 },
    ...(boxes.size > 1 ? [{ title: 'box', value: ({ box }: MailMessage) => box, max: 16 }] : []),
    { title: 'message ref', value: ({ message_ref: ref }) => ref },
  ]);
}

export function printMessage(mailbox: Mailbox, operation: string, message: MailMessage): Output {
  return { data: envelope(mailbox, operation, { message }), plain: renderMessage(message) };
}

export function printSent(mailbox: Mailbox, operation: string, { message, duplicate }: MailSent): Output {
  const to = [...message.to.map(party), ...message.cc.map((each) => `${party(each)} (cc)`)].join(', ');
  const waits = mailbox.transport === 'flatfile' && operation !== 'post';
  const sent = waits
    ? `waits in the outbox for ${to}; "rouse mailfile relay" carries it there`
    : `sent to ${to}`;
  const done = duplicate ? 'already sent (same idempotency key): nothing was sent again' : sent;
  return {
    data: envelope(mailbox, operation, { message, ...(duplicate ? { duplicate } : {}) }),
    plain: `${done}\n${message.message_ref}`,
  };
}

export function printChanged(mailbox: Mailbox, operation: string, messages: MailMessage[]): Output {
  const payload = { message_count: messages.length, messages };
  const rows = table(messages, [
    { title: 'box', value: ({ box }) => box, max: 16 },
    { title: 'read', value: ({ read }) => read },
    { title: 'answered', value: ({ answered }) => answered },
    { title: 'subject', value: ({ subject }) => subject, max: 48 },
    { title: 'message ref', value: ({ message_ref: ref }) => ref },
  ]);
  return { data: envelope(mailbox, operation, payload), plain: rows };
}

function renderMessage(message: MailMessage): string {
  const flags = [message.read ? 'read' : 'unread', ...(message.answered ? ['answered'] : [])];
  const head = keyValues({
    from: party(message.sender),
    to: message.to.map(party),
    ...(message.cc.length > 0 ? { cc: message.cc.map(party) } : {}),
    ...(message.reply_to.length > 0 ? { 'reply to': message.reply_to.map(party) } : {}),
    date: message.created_at_utc,
    subject: message.subject,
    box: `${message.box} (${flags.join(', ')})`,
    ...(message.attachments.length > 0 ? { attached: message.attachments.map(attached) } : {}),
    ref: message.message_ref,
    ...(message.in_reply_to_ref === null ? {} : { 'answer to': message.in_reply_to_ref }),
  });
  return `${head}\n\n${printable(message.body_text ?? '')}`;
}

function party({ address, display_name: name }: MailParticipant): string {
  return name === undefined ? address : `${name} <${address}>`;
}

function attached({ label, locator, size_bytes: size, kind }: MailAttachment): string {
  const how = kind === 'path_ref' ? 'reference' : 'copy';
  return `${label ?? locator ?? 'file'} (${how}${size === undefined ? '' : `, ${size} bytes`}) ${locator ?? ''}`.trim();
}

/** A body as it may be shown: lines stay lines, nothing else moves the reader's cursor. */
export function printable(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => (line === '' ? '' : show(line.replaceAll('\t', '    '))))
    .join('\n');
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
