/**
 * Mail: the agent's own mailbox, as the session's manifest binds it. The facade /v1/mail/* and the notifier use this.
 *
 * Promises  The manifest is read for every call, so that a late registration counts at once; the open store is
 *           kept as long as the binding is the same.
 * Never     Touches the request queue.
 * Errors    `mail_no_binding` (422), `mail_transport` (502), and what the mailbox itself refuses.
 */
export { MailAccess, type OpenMailbox, servesMail } from './mail-access.ts';
export { mailStatusView, runMailOperation } from './mail-operations.ts';
