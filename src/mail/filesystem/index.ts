/**
 * Filesystem store: a directory with one index, immutable Markdown messages and a folder per mailbox.
 *
 * Promises  One SQLite transaction is the commit point of every operation. The index holds each message whole, so files
 *           and links can always be made again from it, and are, after a crash.
 *           A list never reads files and costs the same in a box of any size.
 *           Everything is 0600/0700, and every stored path is relative to the root.
 * Never     Changes a message file once it is published, or trusts a foreign one before checking it.
 */

export type { RegisterRequest } from './accounts/register-request.ts';
export type { Registration } from './accounts/registration-rows.ts';
export * from './links/link-book.ts';
export {
  domainOf,
  standIn,
  standInsOf,
  waitingForFleet,
} from './links/stand-ins.ts';
export type { MaintenanceReport } from './repair/maintenance.ts';
export { repairMailStore } from './repair/repair.ts';
export { rootStatus } from './root/root-status.ts';
export { initMailStore, MailStore, openMailStore } from './store.ts';
export type { Conversation, MailFilter } from './threads/read-conversations.ts';
export type { ThreadMessage } from './threads/read-thread.ts';
