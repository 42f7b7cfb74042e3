import { invalid } from '../../base/index.ts';
import type { StatementShape } from './sqlite-shape.ts';
import { refuseNul } from './text-border.ts';

export type SqliteValue = null | string | number | bigint | boolean | Uint8Array;

/** Values for `?` in order, or for `:name` by name. */
export type SqliteParams = readonly SqliteValue[] | Readonly<Record<string, SqliteValue>>;

type Bound = null | string | number | bigint | Uint8Array;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** Checks parameters against what the statement expects. Refuses a bad value rather than storing NULL. */
export function bindable(shape: StatementShape, params: SqliteParams): Bound[] | [Record<string, Bound>] {
  if (Array.isArray(params)) {
    const values = params as readonly SqliteValue[];
    if (values.length !== shape.positional || shape.names.size > 0) throw wrongCount(shape, values.length);
    return values.map((value, index) => bindValue(value, index + 1));
  }
  const bound: Record<string, Bound> = {};
  for (const [name, value] of Object.entries(params)) {
    if (!shape.names.has(name))
      throw invalid(`the statement has no parameter ${name}`, { facts: { parameter: name } });
    bound[name] = bindValue(value, name);
  }
  for (const name of shape.names) {
    if (!Object.hasOwn(bound, name))
      throw invalid(`no value for parameter ${name}`, { facts: { parameter: name } });
  }
  if (shape.positional > 0) throw wrongCount(shape, 0);
  return shape.names.size > 0 ? [bound] : [];
}

function wrongCount(shape: StatementShape, count: number) {
  const wanted =
    shape.names.size > 0 ? `values named ${[...shape.names].join(', ')}` : `${shape.positional} values`;
  return invalid(`the statement takes ${wanted}, ${count} were passed by position`);
}

/** `which` is the position or name of the parameter. */
function bindValue(value: unknown, which: number | string): Bound {
  switch (typeof value) {
    case 'string':
      if (value.includes('\u0000')) refuseNul(value, `parameter ${which}`);
      return value;
    case 'number':
      return bindNumber(value, which);
    case 'bigint':
      if (value > INT64_MAX || value < INT64_MIN) throw refused(which, 'a whole number beyond 64 bits');
      return value;
    case 'boolean':
      return value ? 1 : 0;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw refused(which, value === undefined ? 'undefined' : describe(value));
  }
}

/**
 * The driver binds whole numbers beyond 32 bits as REAL, so those go as BigInt: an integer stays an integer. It also
 * drops a fraction below 2^-52; that loss is accepted.
 */
function bindNumber(value: number, which: number | string): number | bigint {
  if (Number.isNaN(value)) throw refused(which, 'NaN');
  if (!Number.isSafeInteger(value)) return value;
  return value === (value | 0) ? value | 0 : BigInt(value);
}

function describe(value: unknown): string {
  if (value instanceof Date) return 'a Date';
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

function refused(which: number | string, is: string) {
  const what = `parameter ${which}`;
  return invalid(`${what} is ${is}, which cannot be stored`, {
    hint: 'allowed: text, numbers, bigint, booleans, Uint8Array and null; write dates as ISO text',
    facts: { parameter: what },
  });
}

/** Statements read integers as BigInt. Those that a number holds exactly become numbers; the others stay BigInt. */
export function readRow<T>(row: Record<string, unknown>): T {
  for (const key in row) {
    const value = row[key];
    if (typeof value === 'bigint') row[key] = exactNumber(value);
  }
  return row as T;
}

export function exactNumber(value: number | bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
