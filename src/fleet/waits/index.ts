/**
 * Waits: who waits for whose answer in an org, from requests, tasks and mail.
 *
 * Promises  Agents that wait for each other and late answers are reported once, by mail, whatever the replicas and restarts:
 *           the key of that mail is the wait itself.
 * Never     Ends a wait, or shows one to another org.
 * Errors    Those of the database.
 */
export { listFleetWaits, withoutMailboxes } from './list-waits.ts';
export { waitsSweep } from './waits-sweep.ts';
