/**
 * Flat-file mailboxes: `.agent/inbox.md`, `.agent/outbox.md` and any other file of that form.
 *
 * Promises  Nothing is lost, doubled or torn: every change is one atomic, durable replacement of the file under a
 *           kernel lock that shell scripts can share (flock), and survives kill -9 at any step.
 *           Bytes of other messages stay as they are; any body comes back exactly as it was.
 *           A msg-id is delivered once, even if its first copy was archived long ago.
 *           Memory does not grow with the file.
 * Never     Follows a planted lock, writes outside the named directories, or trusts a header about who owns a file.
 * Errors    invalid (names the field), not_found, conflict (a used id with other content, a planted lock), forbidden,
 *           unavailable (the lock stayed taken, no room, a file that others keep changing). The file is unchanged.
 */
export type { ArchiveChoice } from './archive.ts';
export * from './flat-file.ts';
export { writeBlock as writeFlatMessage } from './format/block.ts';
export {
  type FlatMessage,
  OPEN_STATUSES,
  PRIORITIES,
  requireStatus,
  STATUSES,
  statusOf,
} from './format/envelope.ts';
export { parseInput as parseFlatMessage } from './format/parse-input.ts';
export { FSCK_KINDS } from './fsck/find-troubles.ts';
export type { FsckIssue, FsckReport } from './fsck/fsck.ts';
export type { FoundEntry, Listing, ListOptions, ShownMessage } from './list.ts';
export { FlatFileMailbox, type FlatFileMailboxOptions } from './mailbox/flat-file-mailbox.ts';
export { type RelayItem, relay as relayFlatFiles } from './relay/relay.ts';
export { HUB_ADDRESSES, type RelayDirectory } from './relay/relay-stops.ts';
export { readyLock } from './store/hold-lock.ts';
export type { MailboxPaths } from './store/mailbox-path.ts';
