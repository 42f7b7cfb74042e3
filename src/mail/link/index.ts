/**
 * Links: mailboxes of a local store that also have an address on a fleet server.
 *
 * Promises  Mail written here to a fleet address is sent there once; mail that arrives there is delivered here once.
 *           A process killed in between leaves it in one of the two stores, and the next one continues.
 * Never     Keeps anything in memory alone, or sends mail that was cancelled.
 * Errors    Those of the store and of the server; `unavailable` while the server cannot be reached: everything waits.
 */
export { linkedOutbox } from './linked-outbox.ts';
export { addMailLink, type LinkRequest, removeMailLink } from './set-up.ts';
