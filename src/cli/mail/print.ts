import { shownName } from '../../base/index.ts';
import type { MailAttachment, MailMessage, MailParticipant } from '../../domain/index.ts';
import type { InputOf } from '../command.ts';
import { shownDate, type Zone } from '../print/shown-time.ts';
import { keyValues, show, table } from '../print/table.ts';
import type { MailAnswer } from './door.ts';
import type { CURSOR } from './flags.ts';

/** Results of mail operations, as text for people. */

export function statusText({
  transport,
  principal_id,
  address,
  location,
  warnings,
  ...rest
}: MailAnswer): string {
  const { open_count, unread_count, set_aside_count, bindings_version, execution_path } = rest;
  return keyValues({
    transport,
    principal_id,
    address,
    location,
    open_count,
    unread_count,
    set_aside_count,
    // Only for a mailbox that was found by its agent.
    ...(bindings_version !== undefined && { bindings_version, execution_path }),
    warnings: (warnings as string[]).length === 0 ? 'none' : warnings,
  });
}

interface Page {
  address: string;
  box: string | null;
  message_count: number;
  unread_count: number;
  messages: MailMessage[];
  next_cursor?: string | null;
}

export function pageText(answer: MailAnswer, input: InputOf<readonly [typeof CURSOR]>): string {
  const page = answer as unknown as Page;
  const { messages, next_cursor: next } = page;
  const bodies = messages.flatMap(({ message_ref: ref, body_text: body }) =>
    body == null ? [] : [`\n${ref}\n${printable(body)}`],
  );
  const head = pageHead(page, input.flags.cursor !== undefined);
  if (messages.length === 0) return head;
  return [
    head,
    '',
    messageTable(messages, input),
    ...bodies,
    ...(next == null ? [] : ['', `more: --cursor ${next}`]),
  ].join('\n');
}

/** Counts are those of the page, so they are labelled as such unless the page is the whole box. */
function pageHead(
  { address, box, message_count, unread_count, next_cursor }: Page,
  isLater: boolean,
): string {
  const isPart = next_cursor != null || isLater;
  const count = `${plural(message_count, 'message')}${isPart ? ' on this page' : ''}`;
  return `${box ?? 'every box'} of ${address}: ${count}, ${unread_count} unread`;
}

/** `*` is unread, `r` answered. */
export function messageTable(messages: readonly MailMessage[], zone: Zone): string {
  const boxes = new Set(messages.map(({ box }) => box));
  return table(messages, [
    { title: '', value: ({ unread, answered }) => (unread ? '*' : answered ? 'r' : ' ') },
    { title: 'date', value: ({ created_at_utc: at }) => shownDate(at, zone) },
    // The address, not the display name, which its owner chooses freely.
    { title: 'from', value: ({ sender }) => sender.address, max: 40 },
    { title: 'subject', value: ({ subject }) => subject, max: 48 },
    ...(boxes.size > 1 ? [{ title: 'box', value: ({ box }: MailMessage) => box, max: 16 }] : []),
    { title: 'message ref', value: ({ message_ref: ref }) => ref },
  ]);
}

export function messageText({ message }: MailAnswer, zone: Zone): string {
  return renderMessage(message as MailMessage, zone);
}

export async function sentText({
  message,
  duplicate,
  held,
  operation,
  transport,
}: MailAnswer): Promise<string> {
  const { message_ref, to, cc } = message as MailMessage;
  const who = [...to.map(party), ...cc.map((each) => `${party(each)} (cc)`)].join(', ');
  const { transportNamed } = await import('../../mail/transports.ts');
  const carrier = operation === 'post' ? undefined : transportNamed(transport)?.carriedBy;
  const sent = carrier ? `waits in the outbox for ${who}; "${carrier}" carries it there` : `sent to ${who}`;
  if (held) return `the fleet server is away: held for ${who}, and sent when it is back\n${message_ref}`;
  const done = duplicate ? 'already sent (same idempotency key): nothing was sent again' : sent;
  return `${done}\n${message_ref}`;
}

export function changedText({ messages }: MailAnswer): string {
  return table(messages as MailMessage[], [
    { title: 'box', value: ({ box }) => box, max: 16 },
    { title: 'read', value: ({ read }) => read },
    { title: 'answered', value: ({ answered }) => answered },
    { title: 'subject', value: ({ subject }) => subject, max: 48 },
    { title: 'message ref', value: ({ message_ref: ref }) => ref },
  ]);
}

function renderMessage(message: MailMessage, zone: Zone): string {
  const flags = [message.read ? 'read' : 'unread', ...(message.answered ? ['answered'] : [])];
  const head = keyValues({
    from: party(message.sender),
    to: message.to.map(party),
    ...(message.cc.length > 0 ? { cc: message.cc.map(party) } : {}),
    ...(message.reply_to.length > 0 ? { 'reply to': message.reply_to.map(party) } : {}),
    date: shownDate(message.created_at_utc, zone),
    subject: message.subject,
    box: `${message.box} (${flags.join(', ')})`,
    ...(message.attachments.length > 0 ? { attached: message.attachments.map(attached) } : {}),
    ref: message.message_ref,
    ...(message.in_reply_to_ref == null ? {} : { 'answer to': message.in_reply_to_ref }),
  });
  return `${head}\n\n${printable(message.body_text ?? '')}`;
}

function party({ address, display_name: name }: MailParticipant): string {
  return name == null ? address : `${name} <${address}>`;
}

function attached({ label, locator, size_bytes: size, kind }: MailAttachment): string {
  const how = kind === 'path_ref' ? 'reference' : 'copy';
  const name = label ?? locator ?? 'file';
  return shownName(`${name} (${how}${size == null ? '' : `, ${size} bytes`}) ${locator ?? ''}`.trim());
}

/** A body that is safe to print: its lines are kept, control characters are not. */
export function printable(text: string): string {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => (line === '' ? '' : show(line.replaceAll('\t', '    '))))
    .join('\n');
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
