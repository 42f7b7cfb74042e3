/**
 * Mailbox: durable mail between agents and people. One port, one contract suite; stores behind it, listed in transports.ts.
 *
 * Promises  An accepted message survives kill -9 at any instant, is delivered once, and is never seen in part.
 *           A retry with the same idempotency key and content is the same message; with other content a conflict.
 *           One bad file is set aside and counted, never fatal.
 * Never     Decides who is woken, or when: watch() is a hint, the mailbox is the truth.
 * Errors    See the port: invalid, not_found, conflict, unsupported, unavailable, each saying what to do.
 */
export { bytesOf, nameOf } from './attachment-bytes.ts';
export { ANY_FILE, type FileAccess, filesBelow, NO_FILE, privateDirectories } from './file-access.ts';
export * from './filesystem/index.ts';
export * from './flatfile/index.ts';
export * from './link/index.ts';
export { MailNumbers } from './mail-numbers.ts';
export {
  bindMailbox,
  describeMailbox,
  isMailboxActive,
  openMailbox,
  openMailboxAt,
  unbindMailbox,
} from './open-mailbox.ts';
export type * from './port.ts';
export { runMail } from './run-operation.ts';
export type {
  Bound,
  MailboxBinding,
  MailSurroundings,
  OpenedMailbox,
} from './transport.ts';
