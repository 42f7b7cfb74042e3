import { invalid } from './errors.ts';

/** Refuses text that SQLite would cut and PostgreSQL would refuse. */
export function refuseNul(text: string, field: string): string {
  if (text.includes('\u0000')) throw invalid(`${field} contains U+0000, which no store here can keep`);
  return text;
}

/** Refuses a value that does not fit on one line of a header. */
export function requireOneLine(text: string, field: string): string {
  if (/[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(text)) {
    throw invalid(`${field} must be one line without control characters`);
  }
  return text;
}

/** Folds white space to single spaces and cuts to `max` characters, with `...` at the end. */
export function preview(text: string, max: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  const points = [...flat];
  return points.length <= max ? flat : `${points.slice(0, max - 3).join('')}...`;
}

/** Quotes any text as one word of a POSIX shell command. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export function shellWords(words: readonly string[]): string {
  return words.map(shellQuote).join(' ');
}

/**
 * A command line for a person to copy. What is filled in becomes one word for the shell (a list: one each), even a hostile
 * name that an older version accepted. Every command that is shown is made with this, or has nothing filled in.
 */
export function commandLine(
  words: TemplateStringsArray,
  ...filled: readonly (string | number | readonly string[])[]
): string {
  return words.map((word, n) => (n === 0 ? '' : quoted(filled[n - 1]!)) + word).join('');
}

const quoted = (filled: string | number | readonly string[]): string =>
  typeof filled === 'object' ? shellWords(filled) : shellQuote(String(filled));

/** For sorting: `s2` before `s10`, by letters in any case, then exactly. ICU's own order takes 6 ms to load. */
export function compareText(a: string, b: string): number {
  const [left, right] = [sortKey(a), sortKey(b)];
  if (left !== right) return left < right ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const LONGEST_NUMBER = 20;

const sortKey = (text: string): string =>
  text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(LONGEST_NUMBER, '0'));

/**
 * Draws lines over what a terminal shows. The screen is never cleared: some terminals keep each cleared screen in their
 * scrollback.
 */
export const drawnOver = (text: string): string => `\u001b[H${text.replaceAll('\n', '\u001b[K\r\n')}\u001b[J`;

/** No one mistypes more than this. Longer words are not compared. */
const MAX_COMPARED = 100;

/** Returns the candidates nearest to a typed word, best first. Empty if none is close, or the word is too long for a typo. */
export function nearest(typed: string, candidates: Iterable<string>, max = 3): string[] {
  if (typed.length > MAX_COMPARED) return [];
  const limit = Math.max(2, Math.floor(typed.length / 3));
  const word = typed.toLowerCase();
  const near: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const begun = candidate.startsWith(typed);
    const distance = editDistance(
      word,
      candidate.slice(0, MAX_COMPARED).toLowerCase(),
      begun ? MAX_COMPARED : limit,
    );
    if (begun || distance <= limit) near.push({ candidate, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || compareText(a.candidate, b.candidate))
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

/** Counts insertions, deletions, replacements and swapped neighbours; infinite if more than `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  let [twoBack, back, row] = [
    new Uint16Array(b.length + 1),
    new Uint16Array(b.length + 1),
    new Uint16Array(b.length + 1),
  ];
  for (let j = 0; j <= b.length; j++) back[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(back[j - 1]! + same, back[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, twoBack[j - 2]! + 1);
      row[j] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit) return Number.POSITIVE_INFINITY;
    [twoBack, back, row] = [back, row, twoBack];
  }
  return back[b.length]!;
}
