/**
 * Reminders: a ranked live set. The first is the leader. Only the leader is ever delivered, when the gateway has nothing
 * else to do and the agent may be disturbed.
 *
 * Promises  Waits are monotonic, so a suspended machine or a corrected clock neither stalls nor bursts.
 *           A delivery that fails is shown with its evidence; one the lane refused to type stays overdue.
 * Never     Goes through the durable queue, or lets a lower rank pass a paused or waiting leader.
 * Errors    `not_found`, `reminder_executing` (409), `unsupported_target` (422).
 */

export { LIVE_REMINDER_MIGRATIONS, REMINDER_MIGRATIONS, ReminderStore } from './reminder-store.ts';
export { type ReminderDependencies, Reminders } from './reminders.ts';
