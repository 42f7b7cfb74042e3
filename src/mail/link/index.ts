/**
 * Links: mailboxes of a store on this host that have an address on a fleet server, too.
 *
 * Promises  What is written here to an address of the fleet is sent there once; what comes there is delivered here once;
 *           whoever is killed in between leaves it in one of the two stores, and the next one goes on.
 * Never     Keeps anything in memory alone, or sends what was taken back.
 * Errors    Those of the store and of the server; `unavailable` while the server is away: everything waits.
 */
export { linkedOutbox } from './linked-outbox.ts';
export { addMailLink, type LinkRequest, removeMailLink } from './set-up.ts';
