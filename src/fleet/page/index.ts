/**
 * Page: what a person sees and does in a browser. The host's agents from their files and gateways, the registry, requests and
 * mail, as one picture and its changes; and the actions, each through the door that a program would use.
 *
 * Promises  Nothing without a session, which begins with a code that works once; each action within the person's role, done
 *           once per click, and in the audit with their name.
 *           Watches files only while someone has the page open. What cannot be read is named beside what can.
 * Never     Types into a terminal, attaches to one or resizes it: gateways do, and check at that instant.
 * Errors    `unauthorized` without a session, `forbidden` beyond a role; otherwise those of the rooms it asks.
 */
export type { SessionTimes } from './door/page-sessions.ts';
export { endWhenIdle } from './end-when-idle.ts';
export { servePage } from './serve-page.ts';
