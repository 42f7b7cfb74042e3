import { exactNumber } from './sqlite/sqlite-values.ts';

export type Decode = (text: string) => unknown;

const asText: Decode = (text) => text;
const asBytes: Decode = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));

/** Sessions run with ISO dates, so the text is `2026-01-02 03:04:05.678901+00`. Infinity stays text. */
const asDate: Decode = (text) => {
  const at = new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
  return Number.isNaN(at.getTime()) ? text : at;
};

/** Type and array-type numbers, which are fixed in PostgreSQL. Every other type is text. */
const COLUMNS: [type: number, arrayType: number, decode: Decode][] = [
  [16, 1000, (text) => text === 't'],
  [17, 1001, asBytes],
  [20, 1016, (text) => exactNumber(BigInt(text))],
  [21, 1005, Number],
  [23, 1007, Number],
  [25, 1009, asText],
  [26, 1028, Number],
  [114, 199, (text) => JSON.parse(text)],
  [700, 1021, Number],
  [701, 1022, Number],
  [1042, 1014, asText],
  [1043, 1015, asText],
  [1082, 1182, asText],
  [1083, 1183, asText],
  [1114, 1115, asText],
  [1184, 1185, asDate],
  [1186, 1187, asText],
  [1700, 1231, asText],
  [2950, 2951, asText],
  [3802, 3807, (text) => JSON.parse(text)],
];

/** How the text of a column becomes a value, by type number, for both clients. */
export const DECODERS: ReadonlyMap<number, Decode> = new Map(
  COLUMNS.flatMap(([type, arrayType, decode]): [number, Decode][] => [
    [type, decode],
    [arrayType, (text) => decodeArray(text, decode)],
  ]),
);

export function decoderOf(type: number): Decode {
  return DECODERS.get(type) ?? asText;
}

const ARRAY_TOKENS = /[{},]|"((?:[^"\\]|\\[\s\S])*)"|[^{},"]+/g;

/** `{1,NULL,"a \"b\"",{2}}`. Bounds in front (`[0:1]={…}`) are left out. */
function decodeArray(text: string, decode: Decode): unknown[] {
  const stack: unknown[][] = [[]];
  for (const [token, quoted] of text.slice(text.indexOf('{')).matchAll(ARRAY_TOKENS)) {
    const top = stack[stack.length - 1] as unknown[];
    if (token === '{') {
      const inner: unknown[] = [];
      top.push(inner);
      stack.push(inner);
    } else if (token === '}') stack.pop();
    else if (token === ',') continue;
    else if (quoted !== undefined) top.push(decode(quoted.replace(/\\([\s\S])/g, '$1')));
    else top.push(token === 'NULL' ? null : decode(token));
  }
  return (stack[0] as unknown[])[0] as unknown[];
}
