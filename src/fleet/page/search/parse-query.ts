/** A query as people type it: words, and qualifiers such as `from:ana`. */
export interface SearchQuery {
  words: string[];
  from: string[];
  to: string[];
  state: string[];
  before: string | undefined;
  after: string | undefined;
}

const QUALIFIER = /^(from|to|state|before|after):(.+)$/i;

/** Never fails: an unknown qualifier is a word. */
export function parseQuery(text: string): SearchQuery {
  const query: SearchQuery = { words: [], from: [], to: [], state: [], before: undefined, after: undefined };
  for (const [, quoted, bare] of text.matchAll(/"([^"]*)"|(\S+)/g)) {
    const [, name, value = ''] = QUALIFIER.exec(bare ?? '') ?? [];
    const key = name?.toLowerCase() as keyof SearchQuery | undefined;
    if (key === 'before' || key === 'after') {
      const at = Date.parse(value);
      if (Number.isNaN(at)) query.words.push(bare!);
      else query[key] = new Date(at).toISOString();
    } else if (key === 'from' || key === 'to' || key === 'state') query[key].push(value.toLowerCase());
    else if ((quoted ?? bare ?? '').trim() !== '') query.words.push((quoted ?? bare)!);
  }
  return query;
}

/** Explains to people how the query was read. */
export function understood({ words, from, to, state, before, after }: SearchQuery): string {
  const parts = [
    ...(words.length > 0 ? [words.map((word) => `“${word}”`).join(' ')] : ['everything']),
    ...(from.length > 0 ? [`from ${from.join(', ')}`] : []),
    ...(to.length > 0 ? [`to ${to.join(', ')}`] : []),
    ...(state.length > 0 ? [`in state ${state.join(', ')}`] : []),
    ...(after ? [`after ${after.slice(0, 16)}Z`] : []),
    ...(before ? [`before ${before.slice(0, 16)}Z`] : []),
  ];
  return parts.join(', ');
}
