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
  const terms = searchTerms(typed).map(
    ({ text, prefix }) => ` ${wordsOf(text).join(' ')}${prefix ? '' : ' '}`,
  );
  if (terms.length === 0) return undefined;
  return (...fields) => {
    const texts = fields.map((field) => ` ${wordsOf(field).join(' ')} `);
    return terms.every((term) => texts.some((text) => text.includes(term)));
  };
}

/** Letters and digits, without case and accents, as SQLite's unicode61 has them. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFD').replace(/\p{Mn}/gu, '');
  return plain.toLowerCase().match(/[\p{L}\p{N}\p{Co}]+/gu) ?? [];
}
