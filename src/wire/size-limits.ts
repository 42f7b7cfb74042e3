import type { BodyIssue } from './describe-issues.ts';

/** The longest list and the widest object a value may hold. */
export const MOST_ENTRIES = 10_000;
export const MOST_FIELDS = 1_000;
/** How deep it may be nested. */
export const DEEPEST = 64;

/**
 * The first list or object that is too large or too deep, before any schema looks at it: a schema describes every bad entry
 * it finds, so that one megabyte of zeros would stop the process for seconds.
 */
export function oversize(value: unknown, where: string): BodyIssue | undefined {
  const open: { at: unknown; loc: (string | number)[] }[] = [{ at: value, loc: [where] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { at, loc } = next;
    if (typeof at !== 'object' || at === null) continue;
    if (loc.length > DEEPEST) {
      return {
        type: 'too_deep',
        loc: loc.slice(0, 2),
        msg: `must not be nested deeper than ${DEEPEST}`,
        input: null,
      };
    }
    const list = Array.isArray(at);
    const size = list ? at.length : Object.keys(at).length;
    if (size > (list ? MOST_ENTRIES : MOST_FIELDS)) {
      const msg = list
        ? `must have at most ${MOST_ENTRIES} entries`
        : `must have at most ${MOST_FIELDS} fields`;
      return { type: 'too_long', loc, msg, input: `(${size} ${list ? 'entries' : 'fields'})` };
    }
    for (const [key, inner] of Object.entries(at)) {
      if (typeof inner === 'object' && inner !== null)
        open.push({ at: inner, loc: [...loc, list ? Number(key) : key] });
    }
  }
  return undefined;
}
