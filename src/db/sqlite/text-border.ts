import { invalid } from '../../base/index.ts';

/**
 * One database that we use silently cuts text at U+0000 and the others refuse it, so it never reaches a database. (A
 * lone surrogate is stored as U+FFFD, as everywhere text becomes UTF-8.)
 */
export function refuseNul(text: string, what: string): void {
  if (!text.includes('\u0000')) return;
  throw invalid(`${what} contains the character U+0000, which cannot be stored`, {
    hint: 'remove the NUL character',
    facts: { parameter: what },
  });
}
