/**
 * Mail: mailboxes that the server keeps, for agents of any host. The other half of the transport `fleet` is mail/fleet/.
 *
 * Promises  A message is in the database, for all of its recipients or for none, before the response goes out. The same
 *           message id, or the same key of its sender, is one message, however often and wherever it is sent again.
 *           A token reaches one mailbox: an agent that of its name, a person that of the operator of the org. Mail that a
 *           removed agent left is for the administrators of its org, who may hand it over.
 *           Waiting readers are notified with the commit, through the heartbeat or watch that is held.
 * Never     Looks at another org. Decides who is woken.
 * Errors    `not_found` for an unknown recipient or message, `conflict` for an id or key with other content, `unsupported`
 *           (`mail_no_binding`) for an agent without a mailbox.
 */
export { partsSweep } from './attachment-parts.ts';
export { handOverMailbox, listLeftMailboxes } from './left-mailboxes.ts';
export { mailFromRouse } from './mail-from-rouse.ts';
export { mailRoutes } from './mail-routes.ts';
export { mailVersions } from './mailbox-rows.ts';
