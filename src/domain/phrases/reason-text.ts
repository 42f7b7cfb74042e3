import { REASONS, type Reason, type ReasonCode, type ReasonRow } from '../words/reasons.ts';

/** Why something was not done or waits: a reason, or a sentence that nothing is decided by. */
export type Why = Reason | string;

const LONGEST_VALUE = 120;

export const reasonRow = (code: ReasonCode): ReasonRow => REASONS[code];

/** Its value is made fit to be one word of a line: no line breaks, no quotes, not too long. */
export function reason(code: ReasonCode, value = reasonRow(code).only ?? 'yes'): Reason {
  return { code, value: value.replace(/\s+/g, ' ').replace(/'/g, '’').slice(0, LONGEST_VALUE) };
}

/** The order in which reasons are listed: that of their table. */
export function inReasonOrder(reasons: readonly Reason[]): Reason[] {
  if (reasons.length < 2) return [...reasons];
  const order = Object.keys(REASONS);
  return reasons.toSorted((a, b) => order.indexOf(a.code) - order.indexOf(b.code));
}

export const isReason = (why: Why, code: ReasonCode): why is Reason =>
  typeof why !== 'string' && why.code === code;

/** As it leaves this process, for the wire, a log or a stored row: `dialog='permission'`. */
export function reasonText(why: Why): string {
  if (typeof why === 'string') return why;
  const { name } = reasonRow(why.code);
  return name === '' ? why.value : `${name}='${why.value}'`;
}

export const reasonTexts = (whys: readonly Why[]): string[] => whys.map(reasonText);

/** All of them on one line; undefined when there are none. */
export const whyText = (whys: readonly Why[], between = ' '): string | undefined =>
  reasonTexts(whys).join(between) || undefined;

const FRAGMENT = /(\w+)='([^']*)'/g;

/**
 * The reasons in a text that `reasonText` made, here or in another process: the one place that reads them back. A reason that
 * this version has no code for is left out; of a sentence there is none.
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

/** One reason of another process; what this version has no code for is kept as it is. */
export function readReason(text: string): Reason {
  return readReasons(text)[0] ?? { code: 'unnamed', value: text };
}

/** In words, for people; a sentence stays as it is. */
export function reasonWords(whys: readonly Why[]): string {
  const reasons = inReasonOrder(whys.filter((why) => typeof why !== 'string'));
  const words = reasons.map(({ code, value }) => {
    const { words } = reasonRow(code);
    return typeof words === 'string' ? words : words(value);
  });
  const said = words.filter(Boolean);
  return said.length > 0 ? said.join(', ') : reasonTexts(whys).join(' ');
}

/** `its composer holds a draft (editing_input='yes')`; a sentence is left as it is. */
export function reasonInWords(text: string): string {
  const words = bareReason(text);
  return words === text ? text : `${words} (${text})`;
}

/** The words alone, where there is no room for more. */
export function bareReason(text: string): string {
  const reasons = readReasons(text);
  return reasons.length === 0 ? text : reasonWords(reasons) || text;
}
