import { type ByteSource, Window } from './byte-source.ts';
import { isRecognisedKey, MAX_ENVELOPE_LINES, parseKeyLine } from './envelope.ts';

/** One field of an envelope in the file. The range covers its whole lines. */
export interface FoundField {
  key: string;
  value: string;
  start: number;
  end: number;
}

/** A message, or a file header, as byte ranges of the file: `[start, bodyStart)` is the envelope, `[bodyStart, end)` the rest. */
export interface FoundBlock {
  kind: 'message' | 'header';
  start: number;
  bodyStart: number;
  end: number;
  fields: FoundField[];
  eol: '\n' | '\r\n';
}

/** An envelope that begins like a message and is never closed. Its fields stop at `end`. */
export interface FoundDamage {
  kind: 'unterminated';
  start: number;
  end: number;
}

export interface ScanOptions {
  onDamage?: (damage: FoundDamage) => void;
}

/** Max length of an envelope. Longer "envelopes" are text. */
const LOOKAHEAD = 32 * 1024;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const BREAK = Buffer.from('\n---');

/**
 * Yields the blocks of a mailbox, top to bottom. A block begins only at a line `---` that is followed by a recognised
 * key and, within forty key lines, by a closing `---`, with `from` and one of `to` and `re` in between (for a file
 * header: `mailbox` or `schema`, and no `from`). Every other `---` is text of the message around it.
 */
export function* scanBlocks(source: ByteSource, options: ScanOptions = {}): Generator<FoundBlock> {
  const window = new Window(source);
  let before: FoundBlock | undefined;
  for (let at = firstRule(window); at !== undefined; ) {
    const found = readEnvelope(window, at);
    if (found.block) {
      if (before) yield { ...before, end: at };
      before = found.block;
      at = nextRule(window, source.size, found.block.bodyStart - 1);
    } else {
      if (found.damage) options.onDamage?.(found.damage);
      at = nextRule(window, source.size, at + 3);
    }
  }
  if (before) yield { ...before, end: source.size };
}

/** The length of the byte order mark at the start, or 0. */
export function bomLength(source: ByteSource): number {
  return source.read(0, 3).equals(BOM) ? 3 : 0;
}

function firstRule(window: Window): number | undefined {
  const head = window.from(0, USUAL);
  const bom = head.subarray(0, 3).equals(BOM) ? 3 : 0;
  if (head.subarray(bom, bom + 3).equals(BREAK.subarray(1))) return bom;
  return nextRule(window, Number.POSITIVE_INFINITY, bom);
}

/** The next line that begins with `---`, searching from the line break at or after `offset`. */
function nextRule(window: Window, size: number, offset: number): number | undefined {
  for (let from = offset; from < size; ) {
    const view = window.from(from, BREAK.length);
    const hit = view.indexOf(BREAK);
    if (hit !== -1) return from + hit + 1;
    if (view.length < BREAK.length) return undefined;
    from += view.length - BREAK.length + 1;
  }
  return undefined;
}

const OPENING = /^---[ \t]*(\r?)\n/;
const isRule = (line: string): boolean => line.startsWith('---') && /^---[ \t]*\r?$/.test(line);
/** Most envelopes are shorter than this. Longer ones are read a second time in full. */
const USUAL = 2048;

function readEnvelope(window: Window, at: number): { block?: FoundBlock; damage?: FoundDamage } {
  const head = parseEnvelope(window.from(at, USUAL).toString('latin1', 0, USUAL), at, true);
  return head ?? parseEnvelope(window.from(at, LOOKAHEAD).toString('latin1', 0, LOOKAHEAD), at, false) ?? {};
}

/**
 * Parses the envelope at the start of the text. The text has one character per byte, so that positions in it are
 * positions in the file. Returns undefined if the text is only a part and ends too early to decide.
 */
function parseEnvelope(
  text: string,
  at: number,
  part: boolean,
): { block?: FoundBlock; damage?: FoundDamage } | undefined {
  const opening = OPENING.exec(text);
  if (!opening) return {};
  const fields: FoundField[] = [];
  let from = opening[0].length;
  for (let n = 0; n <= MAX_ENVELOPE_LINES && from < text.length; n++) {
    const stop = text.indexOf('\n', from);
    if (stop === -1 && part) return undefined;
    const line = text.slice(from, stop === -1 ? text.length : stop);
    const next = stop === -1 ? text.length : stop + 1;
    if (isRule(line)) {
      const kind = isMessage(fields) ? 'message' : isHeader(fields) ? 'header' : undefined;
      const eol = opening[1] ? '\r\n' : '\n';
      return kind ? { block: { kind, start: at, bodyStart: at + next, end: at + next, fields, eol } } : {};
    }
    if (!takeField(fields, line, { start: at + from, end: at + next })) break;
    from = next;
  }
  if (part && from >= text.length) return undefined;
  return isMessage(fields) ? { damage: { kind: 'unterminated', start: at, end: at + from } } : {};
}

/** Adds the line to the fields. Returns false if it is neither a field nor a continuation. */
function takeField(
  fields: FoundField[],
  line: string,
  { start, end }: { start: number; end: number },
): boolean {
  const last = fields.at(-1);
  if (last && (line.startsWith(' ') || line.startsWith('\t')) && line.trim() !== '') {
    last.value = `${last.value} ${decode(line).trim()}`.trim();
    last.end = end;
    return true;
  }
  const field = line === '' ? undefined : parseKeyLine(decode(line));
  if (!field || (!last && !isRecognisedKey(field.key))) return false;
  fields.push({ key: field.key, value: field.value, start, end });
  return true;
}

/** Returns a new string: a slice would keep the whole text it was cut from alive. */
const decode = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

const has = (fields: FoundField[], ...keys: string[]): boolean =>
  fields.some(({ key }) => keys.includes(key));
const isMessage = (fields: FoundField[]): boolean => has(fields, 'from') && has(fields, 'to', 're');
const isHeader = (fields: FoundField[]): boolean => has(fields, 'mailbox', 'schema') && !has(fields, 'from');
