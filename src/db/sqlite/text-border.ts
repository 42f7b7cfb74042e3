import { invalid } from '../../base/index.ts';

/**
 * U+0000 is cut off silently by one database we use and refused by the others, so it never gets as far as a
 * database. (A lone surrogate is stored as U+FFFD, as everywhere text becomes UTF-8.)
 */
export function refuseNul(text: string, what: string): void {
  if (!text.includes('\u0000')) return;
  throw invalid(`${what} contains the character U+0000, which cannot be stored`, {
    hint: 'remove the NUL character',
    facts: { parameter: what },
  });
}
