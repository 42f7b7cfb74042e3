import * as z from 'zod';
import { invalid } from '../../base/index.ts';
import { hintIn, MAIL_OPERATIONS, type MailOperationName } from '../../domain/schemas.ts';

const MAX_ISSUES = 5;

/** Returns the parsed value, or throws `invalid` naming each wrong field: `message: $.to[0].address: …`. */
export function checkMail<S extends z.ZodType>(schema: S, value: unknown, what: string): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `${at(path)}: ${message}`);
  const hint = hintIn(result.error.issues);
  throw invalid(`${what}: ${issues.join('; ')}`, {
    ...(hint !== undefined && { hint }),
    facts: { issue_count: result.error.issues.length },
  });
}

/**
 * Values that were already checked, and for which operation. Entry points check for their callers; the mailbox checks
 * for callers without one.
 */
const checked = new WeakMap<object, MailOperationName>();

/** Checks a caller's input for a mailbox. Input already checked for this operation is returned as it is. */
export function checkOperation<Name extends MailOperationName>(
  name: Name,
  input: unknown,
): z.output<(typeof MAIL_OPERATIONS)[Name]> {
  type Checked = z.output<(typeof MAIL_OPERATIONS)[Name]>;
  if (typeof input === 'object' && input !== null && checked.get(input) === name) return input as Checked;
  const found = checkMail(MAIL_OPERATIONS[name], input, name) as Checked;
  checked.set(found as object, name);
  return found;
}

function at(path: PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    '$',
  );
}

/** One line of text for a header: trimmed, not blank, no control characters, valid Unicode. */
export function headerLine(max = 998): z.ZodType<string, string> {
  return z
    .string()
    .max(max)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => text === text.trim(), 'must not begin or end with white space')
    .refine((text) => !CONTROL.test(text), 'must be one line without control characters')
    .refine((text) => !/\p{Surrogate}/u.test(text), 'is not valid Unicode');
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
