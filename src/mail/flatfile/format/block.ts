import { sha256 } from '../../../base/index.ts';
import { checkBody, escapeBody, unescapeBody } from './body.ts';
import { checkFields, type FlatMessage, orderFields, writeField } from './envelope.ts';

/** Returns the message with trimmed values, or throws `invalid` naming what cannot be written. */
export function checkMessage(message: FlatMessage): FlatMessage {
  return { fields: checkFields(message.fields), body: checkBody(message.body) };
}

/**
 * The block of one message: envelope, blank line, body, line end, blank line. Reading drops exactly the blank line
 * before the body and the two line ends after it, so any body comes back unchanged.
 */
export function writeBlock({ fields, body }: FlatMessage): string {
  const envelope = orderFields(fields)
    .map(([key, value]) => writeField(key, value))
    .join('');
  return `---\n${envelope}---\n\n${body === '' ? '' : `${escapeBody(body)}\n\n`}`;
}

/** The body in the text after an envelope. `eol` is the line end of that envelope. */
export function readBlockBody(text: string, eol: string): string {
  let body = text.startsWith(eol) ? text.slice(eol.length) : text;
  for (let n = 0; n < 2 && body.endsWith(eol); n++) body = body.slice(0, -eol.length);
  return unescapeBody(body);
}

/**
 * What makes two messages with one id the same: who said what to whom. Timestamps, status and fields added later do not
 * count, nor do line ends and final newlines, which editors and git change.
 */
export function contentHash({ fields, body }: FlatMessage): string {
  const content = [
    ...['from', 'to', 're', 'in-reply-to', 'reply-policy'].map((key) => fields.get(key) ?? ''),
    body.replace(/\r\n/g, '\n').replace(/\n+$/, ''),
  ];
  return sha256(JSON.stringify(content)).slice(0, 16);
}

/** The name of a message without an id: `~` and a hash of its content and date. */
export function anonymousRef(message: FlatMessage): string {
  const dated = `${contentHash(message)}\n${message.fields.get('created') ?? ''}`;
  return `~${sha256(dated).slice(0, 16)}`;
}

export function refOf(message: FlatMessage): string {
  return message.fields.get('msg-id') || anonymousRef(message);
}
