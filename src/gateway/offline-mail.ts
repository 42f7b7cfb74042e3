/** The room's second light door: an agent's mail without its gateway, for commands that must start fast. */
export { mailStatusView, runMailOperation } from './mail/mail-operations.ts';
