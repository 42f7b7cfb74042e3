import type * as z from 'zod';
import { type ErrorExtras, invalid } from '../base/index.ts';
import { hintIn } from '../domain/schemas.ts';
import { type BodyIssue, describeIssues, shownPath } from './describe-issues.ts';
import { oversize } from './size-limits.ts';

/** How many issues the message names; the facts hold up to MAX_ISSUES. */
const MAX_NAMED_ISSUES = 5;
const MAX_ISSUES = 50;

/**
 * Returns the parsed value or throws `invalid`: the message names each bad field by its path with what is allowed, and
 * `facts.issues` is the list for `detail`. Each `loc` begins with `where`.
 */
export function parseBody<S extends z.ZodType>(schema: S, value: unknown, where = 'body'): z.output<S> {
  const result = check(schema, value, where);
  if ('data' in result) return result.data;
  const { issues, extras } = result;
  throw invalid(sentence(issues), { ...extras, facts: { issues: issues.slice(0, MAX_ISSUES) } });
}

/** The same for a file that Rouse wrote; the error names the file. */
export function parseFile<S extends z.ZodType>(schema: S, value: unknown, file: string): z.output<S> {
  const result = check(schema, value, 'file');
  if ('data' in result) return result.data;
  const issues = result.issues.slice(0, MAX_ISSUES);
  const isOther = issues.some(({ loc }) => loc.at(-1) === 'schema_version');
  throw invalid(`${file} is not valid: ${sentence(result.issues)}`, {
    ...(isOther ? { hint: 'another version of Rouse wrote it: use that one, or a newer one' } : {}),
    facts: { file, issues },
  });
}

type Checked<S extends z.ZodType> = { data: z.output<S> } | { issues: BodyIssue[]; extras: ErrorExtras };

function check<S extends z.ZodType>(schema: S, value: unknown, where: string): Checked<S> {
  const large = oversize(value, where);
  if (large) return { issues: [large], extras: {} };
  const result = schema.safeParse(value);
  if (result.success) return { data: result.data };
  const { issues } = result.error;
  const hint = hintIn(issues);
  return { issues: describeIssues(issues, value, where), extras: hint === undefined ? {} : { hint } };
}

function sentence(issues: readonly BodyIssue[]): string {
  const named = issues.slice(0, MAX_NAMED_ISSUES).map(({ loc, msg }) => {
    const path = shownPath(loc.slice(1)) || String(loc[0]);
    return /^(must|is|holds)\b/.test(msg) ? `${path} ${msg}` : `${path}: ${msg}`;
  });
  const more = issues.length - named.length;
  return named.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
