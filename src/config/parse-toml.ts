import { isUtf8 } from 'node:buffer';
import { parse, TomlError } from 'smol-toml';
import { invalid } from '../base/index.ts';
import type { CarefulFile } from './read-carefully.ts';

/** One value of a file, or a table that has none. */
export interface Entry {
  keys: string[];
  value: unknown;
  isTable: boolean;
}

export interface Document {
  file: string;
  text: string;
  entries: Entry[];
}

export function parseToml({ path, bytes }: CarefulFile): Document {
  if (!isUtf8(bytes)) throw invalid(`${path} is not UTF-8 text`);
  const text = bytes.toString('utf8');
  try {
    return { file: path, text, entries: [...entriesOf(parse(text, DEPTH), [])] };
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep(path);
    if (!(error instanceof TomlError)) throw error;
    const [first] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw invalid(`${path}:${error.line}: ${first}`, { hint: 'see "rouse config --help" for an example' });
  }
}

/** Settings have three levels; a file that nests deeper than this is an attack. */
const MAX_LEVELS = 32;
const DEPTH = { maxDepth: MAX_LEVELS };

const tooDeep = (path: string): Error =>
  invalid(`${path} nests tables or arrays more than ${MAX_LEVELS} levels deep`, {
    hint: 'see "rouse config --help" for an example',
  });

function* entriesOf(table: object, above: string[]): Generator<Entry> {
  if (above.length > MAX_LEVELS) throw new RangeError('too deep');
  const inner = Object.entries(table);
  if (inner.length === 0 && above.length > 0) yield { keys: above, value: undefined, isTable: true };
  for (const [key, value] of inner) {
    const keys = [...above, key];
    if (isTable(value)) yield* entriesOf(value, keys);
    else yield { keys, value, isTable: false };
  }
}

function isTable(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Lines are not searched beyond this: the search parses the file again for each line. */
const MAX_LINES = 2000;

/** The line on which each key starts: the shortest beginning of the file that parses and has the key ends there. */
export function linesOf({ text }: Document): Map<string, number> {
  const lines = text.split('\n');
  const found = new Map<string, number>();
  let begin = 1;
  for (let n = 1; n <= Math.min(lines.length, MAX_LINES); n++) {
    let entries: Entry[];
    try {
      entries = [...entriesOf(parse(`${lines.slice(0, n).join('\n')}\n`, DEPTH), [])];
    } catch {
      continue;
    }
    for (const { keys } of entries) {
      const key = keys.join('.');
      if (!found.has(key)) found.set(key, begin);
    }
    begin = n + 1;
  }
  return found;
}

/** For errors and sources: `file:line`, or the file where the line is not known. */
export function placeOf(document: Document, keys: readonly string[], lines = linesOf(document)): string {
  const line = lines.get(keys.join('.'));
  return line === undefined ? document.file : `${document.file}:${line}`;
}
