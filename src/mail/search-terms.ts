/** Words that must follow each other in subject or body. The last one may be a prefix. */
export interface SearchTerm {
  text: string;
  prefix: boolean;
}

/**
 * Parses what people type: every term must occur, "quoted words" are one term, word* is a prefix. Empty if nothing is
 * asked for.
 */
export function searchTerms(typed: string): SearchTerm[] {
  return [...typed.matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([whole, quoted]) => ({
      text: quoted ?? whole,
      prefix: quoted === undefined && whole.endsWith('*'),
    }))
    .filter(({ text }) => wordsOf(text).length > 0);
}

/** Matches text in a store without a word index, with the same result as a store that has one. */
export function textMatcher(typed: string): ((...fields: string[]) => boolean) | undefined {
  const phrases = searchPhrases(typed);
  if (phrases.length === 0) return undefined;
  return (...fields) => {
    const words = searchableWords(...fields);
    return phrases.every((phrase) => words.includes(phrase));
  };
}

/** The phrases that must all occur in a message's searchable words. */
export function searchPhrases(typed: string): string[] {
  return searchTerms(typed).map(({ text, prefix }) => ` ${wordsOf(text).join(' ')}${prefix ? '' : ' '}`);
}

/** The words of each field on a separate line, so that no phrase spans two fields. */
export function searchableWords(...fields: string[]): string {
  return fields.map((field) => ` ${wordsOf(field).join(' ')} `).join('\n');
}

/** Letters and digits without case and accents, like SQLite's unicode61. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{Mn}/gu, '');
  return plain.toLowerCase().match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
}
