/**
 * Domain: one file per noun, pure. What a message, an address, a request, a reminder is, and the rules that hold
 * for it everywhere.
 *
 * Promises  No files, no sockets, no clock of its own: the same input gives the same answer.
 * Never     Knows how anything is stored, shown or sent.
 * Errors    Wrong values leave as `invalid` with the name of the field.
 */
export * from './mail-address.ts';
export * from './mail-attachment.ts';
export * from './mail-box.ts';
export * from './mail-check.ts';
export * from './mail-compose.ts';
export * from './mail-document.ts';
export * from './mail-draft.ts';
export * from './mail-message.ts';
export * from './mail-principal.ts';
export * from './mail-query.ts';
export * from './mail-ref.ts';
