import { asRouseError, invalid, nearest } from '../base/index.ts';
import { isHoumaoVariable } from '../wire/houmao/index.ts';
import { CONFIG_KEYS, type ConfigKey } from './keys.ts';
import { NAME, type Place } from './kinds.ts';
import { type Document, type Entry, linesOf, placeOf } from './parse-toml.ts';
import type { FileValues } from './values.ts';

export interface Checked {
  values: FileValues;
  /** The keys that have a value. */
  keys: string[];
  /** The file and line that set a key. Finding the line is slow, so it happens only when this is called. */
  sourceOf: (key: string) => string;
}

/** The values of a file, each checked. Throws at the first that is not allowed. */
export function checkValues(document: Document, place: Place): Checked {
  const values: Record<string, unknown> = {};
  const keysSet: string[] = [];
  for (const entry of document.entries) {
    const { keys, value, isTable } = entry;
    try {
      const row = rowOf(entry);
      if (row.own && place.byProject) throw ownOnly(keys);
      checkNames(row, keys);
      put(values, keys, isTable ? {} : row.kind.read(value, place));
    } catch (error) {
      const { message, hint } = asRouseError(error);
      const named = message.startsWith('must ') ? `${keys.join('.')} ${message}` : message;
      const but = message.startsWith('must ') && !isTable ? `, not ${shown(value)}` : '';
      throw invalid(`${placeOf(document, keys)}: ${named}${but}`, hint === undefined ? {} : { hint });
    }
    if (!isTable) keysSet.push(keys.join('.'));
  }
  let lines: Map<string, number> | undefined;
  return {
    values: values as FileValues,
    keys: keysSet,
    sourceOf(key) {
      lines ??= linesOf(document);
      return placeOf(document, key.split('.'), lines);
    },
  };
}

function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function rowOf({ keys, isTable }: Entry): ConfigKey {
  const row = CONFIG_KEYS.find((each) => fits(each, keys, isTable));
  if (row) return row;
  const whole = keys.join('.');
  const deeper = CONFIG_KEYS.find((each) => fits(each, keys, true));
  if (deeper) throw invalid(`${whole} must be a table: write [${whole}]`);
  const [close] = nearest(whole, expected(keys));
  throw invalid(`there is no key "${whole}"`, {
    hint: close ? `did you mean "${close}"?` : '"rouse config --help" lists the keys',
  });
}

/** A table fits every key below it. */
function fits({ key }: ConfigKey, keys: readonly string[], isTable: boolean): boolean {
  const parts = key.split('.');
  const length = isTable ? parts.length > keys.length : parts.length === keys.length;
  return length && keys.every((word, i) => parts[i] === '*' || parts[i] === word);
}

/** The keys that may be meant, with the names that were given. */
function expected(keys: readonly string[]): string[] {
  return CONFIG_KEYS.map(({ key }) =>
    key
      .split('.')
      .map((part, i) => (part === '*' ? (keys[i] ?? 'NAME') : part))
      .join('.'),
  );
}

function ownOnly(keys: readonly string[]): Error {
  return invalid(`a project's file cannot set ${keys.join('.')}`, {
    hint: 'it belongs into your own config.toml; see "rouse config"',
  });
}

function checkNames({ key, name = NAME }: ConfigKey, keys: readonly string[]): void {
  for (const [i, part] of key.split('.').entries())
    if (part === '*' && keys[i] !== undefined) {
      const kind = key === 'tools.*.env.*' && i === 3 ? undefined : name;
      if (kind) readName(kind, keys[i]);
      else checkVariable(keys[i]);
    }
}

function readName(kind: NonNullable<ConfigKey['name']>, given: string): void {
  try {
    kind.read(given, { directory: '/', byProject: false, home: '/' });
  } catch (error) {
    throw invalid(`"${given}" is not ${kind.words}: ${asRouseError(error).message}`);
  }
}

const SECRET = /(KEY|TOKEN|SECRET|PASSWORD|AUTH|CREDENTIALS?)$/i;

/** These variables are stored in the record of the launch, so secrets must stay in the environment. */
function checkVariable(name: string): void {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw invalid(`"${name}" is not the name of a variable`);
  if (SECRET.test(name))
    throw invalid(`${name} looks like a secret, which does not belong into this file`, {
      hint: 'set it in your shell: the tool gets the environment of the person who launches it',
    });
  if (name.startsWith('ROUSE_') || isHoumaoVariable(name))
    throw invalid(`${name} is set by Rouse itself`, { hint: '"rouse config --help" lists the keys' });
}

function put(values: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  let table = values;
  for (const word of keys.slice(0, -1)) {
    table[word] ??= {};
    table = table[word] as Record<string, unknown>;
  }
  table[keys.at(-1)!] ??= value;
}
