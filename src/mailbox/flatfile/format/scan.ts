import { type ByteSource, Window } from './byte-source.ts';
import { isRecognisedKey, MOST_ENVELOPE_LINES, parseKeyLine } from './envelope.ts';

/** One field of an envelope as it stands in the file; the range covers its whole lines. */
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

/** An envelope that begins like a message and is never closed. `end` is where its fields stop. */
export interface FoundDamage {
  kind: 'unterminated';
  start: number;
  end: number;
}

export interface ScanOptions {
  onDamage?: (damage: FoundDamage) => void;
}

const PIECE = 1024 * 1024;
/** The longest envelope that is recognised. Longer "envelopes" are text. */
const LOOKAHEAD = 256 * 1024;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const BREAK = Buffer.from('\n---');

/**
 * The blocks of a mailbox, top to bottom. A block begins only at a line `---` that is followed by a recognised key
 * and, within forty key lines, by a closing `---`, with `from` and one of `to` and `re` between them (a file header:
 * `mailbox` or `schema`, and no `from`). Every other `---` is text of the message it stands in.
 */
export function* scanBlocks(source: ByteSource, options: ScanOptions = {}): Generator<FoundBlock> {
  const window = new Window(source, PIECE);
  let before: FoundBlock | undefined;
  for (let at = firstRule(window); at !== undefined; ) {
    const found = readEnvelope(window.from(at, LOOKAHEAD), at);
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

/** How many bytes a byte order mark takes at the start. */
export function bomLength(source: ByteSource): number {
  return source.read(0, 3).equals(BOM) ? 3 : 0;
}

function firstRule(window: Window): number | undefined {
  const head = window.from(0, PIECE);
  const bom = head.subarray(0, 3).equals(BOM) ? 3 : 0;
  if (head.subarray(bom, bom + 3).equals(BREAK.subarray(1))) return bom;
  return nextRule(window, Number.POSITIVE_INFINITY, bom);
}

/** The next line that begins with `---`, looking from the line break at or after `offset`. */
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

interface EnvelopeLine {
  text: string;
  start: number;
  end: number;
}

/** One line of the view, or undefined at its end. The text has no line end. */
function lineAt(view: Buffer, start: number): EnvelopeLine | undefined {
  if (start >= view.length) return undefined;
  const stop = view.indexOf(0x0a, start);
  const end = stop === -1 ? view.length : stop + 1;
  return { text: view.toString('utf8', start, stop === -1 ? end : stop), start, end };
}

const isRule = (text: string): boolean => /^---[ \t]*\r?$/.test(text);

function readEnvelope(view: Buffer, at: number): { block?: FoundBlock; damage?: FoundDamage } {
  const opening = lineAt(view, 0)!;
  if (!isRule(opening.text)) return {};
  const fields: FoundField[] = [];
  const damaged = (end: number): { damage?: FoundDamage } =>
    isMessage(fields) ? { damage: { kind: 'unterminated', start: at, end: at + end } } : {};
  let line = lineAt(view, opening.end);
  for (let n = 0; line && n <= MOST_ENVELOPE_LINES; n++) {
    if (isRule(line.text)) {
      const kind = isMessage(fields) ? 'message' : isHeader(fields) ? 'header' : undefined;
      const eol = opening.text.endsWith('\r') ? '\r\n' : '\n';
      const end = at + line.end;
      return kind ? { block: { kind, start: at, bodyStart: end, end, fields, eol } } : {};
    }
    if (!takeField(fields, line, at)) return damaged(line.start);
    line = lineAt(view, line.end);
  }
  return damaged(line?.start ?? view.length);
}

/** Adds the line to the fields; false when it is neither a field nor the continuation of one. */
function takeField(fields: FoundField[], line: EnvelopeLine, at: number): boolean {
  const last = fields.at(-1);
  if (last && /^[ \t]+\S/.test(line.text)) {
    last.value = `${last.value} ${line.text.trim()}`.trim();
    last.end = at + line.end;
    return true;
  }
  const field = parseKeyLine(line.text);
  if (!field || (!last && !isRecognisedKey(field.key))) return false;
  fields.push({ ...field, start: at + line.start, end: at + line.end });
  return true;
}

const has = (fields: FoundField[], ...keys: string[]): boolean =>
  fields.some(({ key }) => keys.includes(key));
const isMessage = (fields: FoundField[]): boolean => has(fields, 'from') && has(fields, 'to', 're');
const isHeader = (fields: FoundField[]): boolean => has(fields, 'mailbox', 'schema') && !has(fields, 'from');
