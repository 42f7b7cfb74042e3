import { compactStamp, invalid, randomHex } from '../../base/index.ts';

const MESSAGE_ID = /^msg-\d{8}T\d{6}Z-[0-9a-f]{32}$/;

export function isMessageId(text: string): boolean {
  return MESSAGE_ID.test(text);
}

let lastMs = 0;
let madeInMs = 0;

/**
 * `msg-<UTC stamp>-<32 hex>`. The hex digits are milliseconds, a counter and 64 random bits, so that ids of one process
 * sort in the order they were made, even within a second.
 */
export function newMessageId(at: Date): string {
  const ms = Math.max(at.getTime(), 0);
  madeInMs = ms === lastMs ? (madeInMs + 1) & 0xffff : 0;
  lastMs = ms;
  return `msg-${compactStamp(at)}-${hex(ms, 12)}${hex(madeInMs, 4)}${randomHex(8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

/** `<transport>:<id>`, opaque to callers. Only the store that made it parses it. */
export function makeMailRef(transport: string, id: string): string {
  return `${transport}:${id}`;
}

/** Returns the id in a ref of this transport. A bare id is accepted; a ref of another transport is not. */
export function parseMailRef(transport: string, ref: string, field = 'message_ref'): string {
  const text = ref.trim();
  if (text === '') throw invalid(`${field} must not be blank`);
  const prefix = `${transport}:`;
  if (text.startsWith(prefix)) return text.slice(prefix.length);
  const other = /^([a-z][a-z0-9-]*):/.exec(text)?.[1];
  if (other !== undefined) {
    throw invalid(`${field} belongs to the ${other} transport, and this mailbox is ${transport}`, {
      hint: 'use a message_ref exactly as list or search of this mailbox shows it',
    });
  }
  return text;
}

/** Returns the ids of several refs: at least one, each once. */
export function parseMailRefs(transport: string, refs: readonly string[]): string[] {
  if (refs.length === 0) throw invalid('message_refs must name at least one message');
  const ids = refs.map((ref, i) => parseMailRef(transport, ref, `message_refs[${i}]`));
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw invalid(`message_refs names ${makeMailRef(transport, twice)} twice`);
  return ids;
}
