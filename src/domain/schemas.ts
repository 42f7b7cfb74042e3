/**
 * The exports of domain that load zod. Code that needs only rules and types imports index.ts and starts faster.
 */
export * from './fields.ts';
export * from './mail/operations.ts';
