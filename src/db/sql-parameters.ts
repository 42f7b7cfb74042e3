import { invalid } from '../base/index.ts';
import { refuseNul } from './sqlite/text-border.ts';

const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;

/** Encodes parameters as the text that PostgreSQL reads, so that both databases get the same whatever the client. */
export function encodeParams(params: readonly unknown[]): (string | null)[] {
  return params.map((value, index) => encode(value, `parameter ${index + 1}`));
}

/** A value as JSON text, for a json or jsonb parameter. */
export function asJson(value: unknown): string {
  return encodeJson(value, 'the JSON value');
}

function encode(value: unknown, what: string): string | null {
  switch (typeof value) {
    case 'string':
      refuseNul(value, what);
      return value;
    case 'number':
      if (Number.isNaN(value)) throw refused(what, 'NaN');
      return String(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? null : encodeObject(value, what);
    default:
      throw refused(what, value === undefined ? 'undefined' : `a ${typeof value}`);
  }
}

function encodeObject(value: object, what: string): string {
  if (Array.isArray(value)) return encodeArray(value, what);
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw refused(what, 'an invalid Date');
    return value.toISOString();
  }
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return encodeJson(value, what);
  throw refused(what, `a ${value.constructor?.name ?? 'value of a class'}`);
}

function encodeArray(values: readonly unknown[], what: string): string {
  const items = values.map((value, index) => {
    const item = `${what}[${index}]`;
    if (value === null) return 'NULL';
    if (Array.isArray(value)) return encodeArray(value, item);
    return `"${encode(value, item)?.replace(/[\\"]/g, '\\$&')}"`;
  });
  return `{${items.join(',')}}`;
}

function encodeJson(value: unknown, what: string): string {
  const json = JSON.stringify(value);
  if (json === undefined) throw refused(what, 'not JSON');
  if (ESCAPED_NUL.test(json)) refuseNul('\u0000', what);
  return json;
}

function refused(what: string, is: string) {
  return invalid(`${what} is ${is}, which cannot be stored`, {
    hint: 'allowed: text, numbers, bigint, booleans, dates, Uint8Array, arrays, plain objects and null',
    facts: { parameter: what },
  });
}
