import { invalid, refuseNul } from '../../../base/index.ts';

/**
 * A body line `---` would look like the start of the next message. It is written with one more leading space, which
 * Markdown still renders as the same rule or heading line, and read back without it. Lines that already have leading
 * spaces get one more too, so that every body comes back unchanged. A carriage return counts as a line end, because
 * other readers treat it as one.
 */
const RULE_LINE = /(^|[\r\n])( *---[ \t]*)(?=[\r\n]|$)/g;
const ESCAPED_LINE = /(^|[\r\n]) ( *---[ \t]*)(?=[\r\n]|$)/g;

export const MAX_BODY_BYTES = 8 * 1024 * 1024;

export function escapeBody(body: string): string {
  return body.includes('---') ? body.replace(RULE_LINE, '$1 $2') : body;
}

export function unescapeBody(text: string): string {
  return text.includes(' ---') ? text.replace(ESCAPED_LINE, '$1$2') : text;
}

export function checkBody(body: string): string {
  refuseNul(body, 'body');
  if (/\p{Surrogate}/u.test(body)) throw invalid('body is not valid Unicode');
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) throw invalid(`body is longer than ${MAX_BODY_BYTES} bytes`);
  return body;
}
