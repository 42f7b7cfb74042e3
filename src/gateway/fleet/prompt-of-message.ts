import { invalid } from '../../base/index.ts';

const MAX_CHARS = 200_000;
/** A text that begins like this is no command, shell escape or mention in any tool. */
const HARMLESS = /^[\p{L}\p{N}["'(]/u;

/**
 * Returns the text of an A2A message as a prompt. Others wrote it, so control characters are removed and it cannot begin
 * like a command of the tool. Both spellings of the protocol are read; parts that are not text are named.
 */
export function promptOfMessage(body: unknown): string {
  const message = fieldsOf(fieldsOf(fieldsOf(body)['params'])['message']);
  const parts = Array.isArray(message['parts']) ? message['parts'].map(textOfPart) : [];
  const text = withoutControls(parts.join('\n\n')).trim().slice(0, MAX_CHARS);
  if (text === '') throw invalid('the message has no text');
  return HARMLESS.test(text) ? text : `Message: ${text}`;
}

function textOfPart(part: unknown): string {
  const { text, kind, mediaType } = fieldsOf(part);
  if (typeof text === 'string') return text;
  const what = [kind, mediaType].find((each) => typeof each === 'string') ?? 'data';
  return `[a part of the message that is not text: ${String(what).slice(0, 60)}]`;
}

function withoutControls(text: string): string {
  return text
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Surrogate}\u202a-\u202e\u2066-\u2069]/gu, '');
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
