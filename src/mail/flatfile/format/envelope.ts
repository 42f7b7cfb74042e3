import { invalid, nearest } from '../../../base/index.ts';

/** One message of a flat-file mailbox: `key: value` fields and a free body. */
export interface FlatMessage {
  fields: ReadonlyMap<string, string>;
  body: string;
}

export const STATUSES = [
  'pending',
  'in-progress',
  'operator-pending',
  'actioned',
  'stale',
  'dispatched',
  'broadcast',
  'undeliverable',
] as const;
export type FlatStatus = (typeof STATUSES)[number];

/** Still waiting for its reader. */
export const OPEN_STATUSES: readonly string[] = ['pending', 'in-progress', 'operator-pending'];
export const PRIORITIES = ['high', 'normal', 'low'] as const;

/** Written first and in this order, so that every block begins with a key that all readers know. */
const FIRST_KEYS = ['from', 'to', 're', 'created', 'status', 'priority', 'msg-id', 'in-reply-to', 'attempts'];

/** Keys that may open an envelope or a file header. Anything else after a `---` line is text. */
const RECOGNISED = new Set([
  ...FIRST_KEYS,
  'relayed-by',
  'relayed-at',
  'relayed-from',
  'dispatched-at',
  'undeliverable-reason',
  'actioned',
  'actioned_by',
  'actioned_at',
  'actioned_note',
  'actioned-by',
  'actioned-at',
  'actioned-note',
  'note',
  'engine',
  'thread',
  'origin',
  'reply-policy',
  'mailbox',
  'owner',
  'location',
  'schema',
]);

export const MAX_ENVELOPE_LINES = 40;
export const MAX_VALUE_BYTES = 4096;
const MAX_FIELDS = 36;
const MAX_ENVELOPE_BYTES = 16 * 1024;
const KEY = /^[a-z][a-z0-9_-]{0,63}$/;
const KEY_LINE = /^([A-Za-z][A-Za-z0-9_-]{0,63}):(?:[ \t]*)(.*)$/s;
const UNFIT = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function isRecognisedKey(key: string): boolean {
  return RECOGNISED.has(key);
}

/** `key` and value of an envelope line (without its line end), or undefined if it is not one. */
export function parseKeyLine(line: string): { key: string; value: string } | undefined {
  const match = KEY_LINE.exec(line);
  return match ? { key: match[1]!.toLowerCase(), value: readValue(match[2]!) } : undefined;
}

/** The value, trimmed of blanks and, if wholly quoted, without its quotes. */
export function readValue(raw: string): string {
  const text = raw.replace(/^[ \t]+|[ \t\r]+$/g, '');
  if (text.length >= 2 && text.startsWith('"') && text.endsWith('"')) {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'string') return value;
    } catch {
      return text;
    }
  }
  return /^'(?:[^']|'')*'$/.test(text) ? text.slice(1, -1).replaceAll("''", "'") : text;
}

/** What a YAML reader would read as the start of something else, a nested key or a comment. */
const NOT_PLAIN = /^[[\]{},#&*!|>'"%@`\ufeff]|^[-?:](?: |$)|: |:$| #/;
/** What it would read as a number, a boolean or null. */
const NOT_TEXT =
  /^(?:[-+]?(?:\d[\d_]*(?:\.[\d_]*)?|\.\d+)(?:e[-+]?\d+)?|0[xo][\da-f]+|[-+]?\.inf|\.nan|~|null|true|false|yes|no|on|off|y|n)$/i;
/** People and scripts search for these fields literally, so `msg-id: 17` stays unquoted. */
const NAMES = new Set(['msg-id', 'in-reply-to', 'thread', 'attempts']);

/** Writes a field, quoted only if a YAML reader would otherwise misread it. */
export function writeField(key: string, value: string): string {
  if (value === '') return `${key}:\n`;
  const quote = NOT_PLAIN.test(value) || (NOT_TEXT.test(value) && !NAMES.has(key));
  return `${key}: ${quote ? JSON.stringify(value) : value}\n`;
}

/** Returns the trimmed value if it fits on one envelope line; otherwise throws `invalid` naming the field. */
export function requireValue(value: string, key: string): string {
  const text = value.replace(/^ +| +$/g, '');
  if (UNFIT.test(text)) throw invalid(`${key} must be one line without control characters`);
  if (/\p{Surrogate}/u.test(text)) throw invalid(`${key} is not valid Unicode`);
  if (Buffer.byteLength(text) > MAX_VALUE_BYTES)
    throw invalid(`${key} is longer than ${MAX_VALUE_BYTES} bytes`);
  return text;
}

/** The effective status. People write it in any case; a message without one is pending. */
export function statusOf(fields: ReadonlyMap<string, string>): string {
  return fields.get('status')?.toLowerCase() || 'pending';
}

export function requireStatus(status: string, field = 'status'): FlatStatus {
  const known = STATUSES.find((name) => name === status);
  if (known) return known;
  const [close] = nearest(status, STATUSES);
  throw invalid(
    `${field} must be one of ${STATUSES.join(', ')}`,
    close ? { hint: `did you mean ${close}?` } : {},
  );
}

/** Fields in writing order: the well-known ones first, the rest as passed. */
export function orderFields(fields: ReadonlyMap<string, string>): [string, string][] {
  const known = FIRST_KEYS.filter((key) => fields.has(key)).map((key): [string, string] => [
    key,
    fields.get(key)!,
  ]);
  return [...known, ...[...fields].filter(([key]) => !FIRST_KEYS.includes(key))];
}

/** Returns the fields if all can be written; otherwise throws `invalid` naming the first that cannot. */
export function checkFields(fields: ReadonlyMap<string, string>): Map<string, string> {
  const checked = new Map<string, string>();
  for (const [key, value] of fields) {
    if (!KEY.test(key)) {
      throw invalid(
        `field name ${JSON.stringify(key.slice(0, 80))} must be lower-case letters, digits, - or _`,
      );
    }
    checked.set(key, requireValue(value, key));
  }
  for (const key of ['from', 'to', 're']) {
    if (!checked.get(key)) throw invalid(`${key} is missing: every message needs from, to and re`);
  }
  if (checked.has('mailbox') || checked.has('schema')) {
    throw invalid('mailbox and schema are fields of the file header, not of a message');
  }
  if (checked.size > MAX_FIELDS) throw invalid(`an envelope holds at most ${MAX_FIELDS} fields`);
  const length = [...checked].reduce(
    (sum, [key, value]) => sum + key.length + 2 * Buffer.byteLength(value) + 6,
    0,
  );
  if (length > 2 * MAX_ENVELOPE_BYTES)
    throw invalid(`the envelope is longer than ${MAX_ENVELOPE_BYTES} bytes`);
  checkMeanings(checked);
  return checked;
}

function checkMeanings(fields: Map<string, string>): void {
  const status = fields.get('status');
  if (status !== undefined) requireStatus(status);
  const priority = fields.get('priority');
  if (priority !== undefined && !PRIORITIES.some((name) => name === priority)) {
    throw invalid(`priority must be one of ${PRIORITIES.join(', ')}`);
  }
  const created = fields.get('created');
  if (
    created !== undefined &&
    !/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(created)
  ) {
    throw invalid('created must be an ISO-8601 time such as 2026-01-31T09:00:00Z');
  }
  const attempts = fields.get('attempts');
  if (attempts !== undefined && !/^\d{1,9}$/.test(attempts)) throw invalid('attempts must be a whole number');
  const id = fields.get('msg-id');
  if (id !== undefined) requireMessageId(id);
}

/** People type ids, and ids are compared as whole words. */
export function requireMessageId(id: string, field = 'msg-id'): string {
  if (!/^[^\s\u0000-\u001f\u007f-\u009f]{1,200}$/u.test(id) || id.startsWith('~')) {
    throw invalid(
      `${field} must be 1 to 200 characters without spaces or control characters, not beginning with ~`,
    );
  }
  return id;
}
