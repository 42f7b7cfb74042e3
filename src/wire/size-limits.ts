import type { BodyIssue } from './describe-issues.ts';

/** Maximum entries of a list and fields of an object. */
export const MAX_ENTRIES = 10_000;
export const MAX_FIELDS = 1_000;
/** Maximum nesting. */
export const MAX_DEPTH = 64;

/**
 * Finds the first list or object that is too large or too deep. It runs before any schema, because a schema describes every
 * bad entry: one megabyte of zeros would block the process for seconds.
 */
export function oversize(value: unknown, where: string): BodyIssue | undefined {
  const found = typeof value === 'object' && value !== null ? firstIn(value, 1) : undefined;
  return found && { ...found, loc: [where, ...found.loc] };
}

/** Visits every value, so it must not take longer than parsing them did. */
function firstIn(at: object, depth: number): BodyIssue | undefined {
  if (depth > MAX_DEPTH)
    return { type: 'too_deep', loc: [], msg: `must not be nested deeper than ${MAX_DEPTH}`, input: null };
  if (Array.isArray(at)) {
    if (at.length > MAX_ENTRIES)
      return tooLong(`must have at most ${MAX_ENTRIES} entries`, `(${at.length} entries)`);
    for (let n = 0; n < at.length; n++) {
      const found = firstInside(at[n], n, depth);
      if (found) return found;
    }
    return undefined;
  }
  const keys = Object.keys(at);
  if (keys.length > MAX_FIELDS)
    return tooLong(`must have at most ${MAX_FIELDS} fields`, `(${keys.length} fields)`);
  for (const key of keys) {
    const found = firstInside((at as Record<string, unknown>)[key], key, depth);
    if (found) return found;
  }
  return undefined;
}

function firstInside(inner: unknown, key: string | number, depth: number): BodyIssue | undefined {
  const found = typeof inner === 'object' && inner !== null ? firstIn(inner, depth + 1) : undefined;
  if (!found) return undefined;
  // For depth, the field where it begins is enough.
  return { ...found, loc: found.type === 'too_deep' && depth > 1 ? [] : [key, ...found.loc] };
}

const tooLong = (msg: string, input: string): BodyIssue => ({ type: 'too_long', loc: [], msg, input });
