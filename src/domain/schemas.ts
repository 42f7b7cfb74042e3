/**
 * The second door of domain: what loads zod. Whoever needs only rules and types enters by index.ts and starts faster.
 */
export * from './fields.ts';
export * from './mail/operations.ts';
