/**
 * The exports of domain for closed sets. Loads nothing else, so that the page in a browser may import it.
 */
export * from './settings/reminder-fields.ts';
export * from './words/delivery-outcomes.ts';
export * from './words/execution-modes.ts';
export * from './words/messages.ts';
export * from './words/needs.ts';
export * from './words/notices/channels.ts';
export * from './words/notices/notice-states.ts';
export * from './words/notices/push-services.ts';
export * from './words/notices/receipt-stages.ts';
export * from './words/notices/wait-conditions.ts';
export * from './words/notifier-outcomes.ts';
export * from './words/page-rights.ts';
export * from './words/parties.ts';
export * from './words/reminders.ts';
export * from './words/request-kinds.ts';
export * from './words/request-outcomes.ts';
export * from './words/request-stages.ts';
export * from './words/request-states.ts';
export * from './words/table.ts';
export * from './words/ticket-kinds.ts';
export * from './words/ticket-statuses.ts';
export * from './words/turns.ts';
export * from './words/wake-policies.ts';
export * from './words/workspace-statuses.ts';
