/**
 * Mailbox schemas: what a stored message must be, and how input is checked against the schema of its operation.
 *
 * Promises  Strict: unknown keys, wrong types, control characters in header values and U+0000 are refused.
 * Errors    `invalid` with one line naming each wrong field.
 */
export { checkMail, checkOperation } from './check.ts';
export * from './document-schema.ts';
