import { REASONS, type Reason, type ReasonCode, type ReasonRow } from '../words/reasons.ts';

/** Why something was not done or waits: a reason, or a sentence that decides nothing. */
export type Why = Reason | string;

const MAX_VALUE_LENGTH = 120;

export const reasonRow = (code: ReasonCode): ReasonRow => REASONS[code];

/** Makes a reason. Its value is made to fit on a line: no line breaks, no quotes, not too long. */
export function reason(code: ReasonCode, value = reasonRow(code).only ?? 'yes'): Reason {
  return { code, value: value.replace(/\s+/g, ' ').replace(/'/g, '’').slice(0, MAX_VALUE_LENGTH) };
}

/** Sorts reasons in the order of their table. */
export function inReasonOrder(reasons: readonly Reason[]): Reason[] {
  if (reasons.length < 2) return [...reasons];
  const order = Object.keys(REASONS);
  return reasons.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
}

export const isReason = (why: Why, code: ReasonCode): why is Reason =>
  typeof why !== 'string' && why.code === code;

/** A reason as it leaves this process, for the wire, a log or a stored row: `dialog='permission'`. */
export function reasonText(why: Why): string {
  if (typeof why === 'string') return why;
  const { name } = reasonRow(why.code);
  return name === '' ? why.value : `${name}='${why.value}'`;
}

export const reasonTexts = (whys: readonly Why[]): string[] => whys.map(reasonText);

/** All of them on one line; undefined if there are none. */
export const whyText = (whys: readonly Why[], between = ' '): string | undefined =>
  reasonTexts(whys).join(between) || undefined;

const FRAGMENT = /(\w+)='([^']*)'/g;

/**
 * Reads back the reasons in a text that `reasonText` made, here or in another process. The only place that does so. A
 * reason that this version has no code for is skipped; a sentence has none.
 */
export function readReasons(text: string): Reason[] {
  return [...text.matchAll(FRAGMENT)].flatMap(([, name = '', value = '']) => {
    const code = codeOf(name, value);
    return code ? [{ code, value }] : [];
  });
}

function codeOf(name: string, value: string): ReasonCode | undefined {
  const codes = (Object.keys(REASONS) as ReasonCode[]).filter((code) => reasonRow(code).name === name);
  return (
    codes.find((code) => reasonRow(code).only === value) ??
    codes.find((code) => reasonRow(code).only === undefined)
  );
}

/** Reads one reason of another process. One that this version has no code for is kept as `unnamed`. */
export function readReason(text: string): Reason {
  return readReasons(text)[0] ?? { code: 'unnamed', value: text };
}

/** The reasons in words, for people. A sentence stays as it is. */
export function reasonWords(whys: readonly Why[]): string {
  const reasons = inReasonOrder(whys.filter((why) => typeof why !== 'string'));
  const words = reasons.map(({ code, value }) => {
    const { words } = reasonRow(code);
    return typeof words === 'string' ? words : words(value);
  });
  const shown = words.filter(Boolean);
  return shown.length > 0 ? shown.join(', ') : reasonTexts(whys).join(' ');
}

/** `its composer holds a draft (editing_input='yes')`. A sentence stays as it is. */
export function reasonInWords(text: string): string {
  const words = bareReason(text);
  return words === text ? text : `${words} (${text})`;
}

/** Only the words, where there is no room for more. */
export function bareReason(text: string): string {
  const reasons = readReasons(text);
  return reasons.length === 0 ? text : reasonWords(reasons) || text;
}
