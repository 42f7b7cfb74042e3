/**
 * Mailbox schemas: what a caller may say to a mailbox and what a stored message must be, checked at the border.
 *
 * Promises  Strict: unknown keys, wrong types, control characters in header values and U+0000 are refused.
 * Errors    `invalid` with one line naming each wrong field.
 */
export { checkMail } from './check.ts';
export * from './document-schema.ts';
export * from './input-schemas.ts';
