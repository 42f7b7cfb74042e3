/**
 * The notifier: wakes the agent for open mail, through the queue.
 *
 * Promises  Mail wakes the loop at once; the interval is the safety net and, by default, the cadence of repeats.
 *           Every decision is a pure function of facts that are stored with it, so it can be asked for and re-run.
 *           Request, audit row and status are one transaction. A failing mailbox is an error with back-off, never an end.
 * Never     Puts a byte of any message or subject into the prompt. Senders are named only if `announce` is `senders`, by
 *           the names of registered agents, as "you" and as "someone outside".
 */

export { decideWake, type WakeFacts } from './decide-wake.ts';
export { readKept } from './kept-settings.ts';
export { Notifier, type NotifierDependencies } from './notifier.ts';
export {
  NOTIFIER_EPOCH_MIGRATIONS,
  NOTIFIER_MIGRATIONS,
  NOTIFIER_PARK_MIGRATIONS,
  NOTIFIER_TEXT_MIGRATIONS,
  NOTIFIER_THREAD_MIGRATIONS,
} from './notifier-schema.ts';
export { NotifierStore } from './notifier-store.ts';
export { type RegisteredNames, senderNames } from './sender-names.ts';
export { type AgentTools, renderWakePrompt } from './wake-prompt.ts';
export { readWakeTemplate, type WakeTemplate } from './wake-template.ts';
