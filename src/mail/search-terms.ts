/** Words that must follow each other in subject or body; the last one may be only the beginning of a word. */
export interface SearchTerm {
  text: string;
  prefix: boolean;
}

/** What people type: every term must occur, "quoted words" are one term, word* is a prefix. None: nothing is asked for. */
export function searchTerms(typed: string): SearchTerm[] {
  return [...typed.matchAll(/"([^"]*)"?|[^\s"]+/g)]
    .map(([whole, quoted]) => ({
      text: quoted ?? whole,
      prefix: quoted === undefined && whole.endsWith('*'),
    }))
    .filter(({ text }) => wordsOf(text).length > 0);
}

/** How a store without an index of words finds them, with the same result as one that has one. */
export function textMatcher(typed: string): ((...fields: string[]) => boolean) | undefined {
  const phrases = searchPhrases(typed);
  if (phrases.length === 0) return undefined;
  return (...fields) => {
    const words = searchableWords(...fields);
    return phrases.every((phrase) => words.includes(phrase));
  };
}

/** What must occur, each of them, in the searchable words of a message. */
export function searchPhrases(typed: string): string[] {
  return searchTerms(typed).map(({ text, prefix }) => ` ${wordsOf(text).join(' ')}${prefix ? '' : ' '}`);
}

/** The words of each field on a line of its own, so that no phrase reaches from one into the next. */
export function searchableWords(...fields: string[]): string {
  return fields.map((field) => ` ${wordsOf(field).join(' ')} `).join('\n');
}

/** Letters and digits, without case and accents, as SQLite's unicode61 has them. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{Mn}/gu, '');
  return plain.toLowerCase().match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
}
