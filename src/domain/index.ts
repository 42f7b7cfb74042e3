/**
 * Domain: the nouns of the product and the rules they carry: names, backends, keys, listeners, timings, status,
 * reminders, mail.
 *
 * Promises  Pure: the same input gives the same result; time and environment are parameters.
 *           Numbers of any size stay numbers; no rule here yields NaN, Infinity or an invalid date.
 * Never     Touches files, processes or sockets; shapes that cross a process boundary are in wire/. Loads no schema:
 *           those of the mail operations are exported by schemas.ts.
 * Errors    `invalid`, naming the field and what is allowed.
 */
export * from './agent-name.ts';
export * from './agent-pause.ts';
export * from './backend.ts';
export * from './commands.ts';
export * from './day/clean-text.ts';
export * from './day/day-digest.ts';
export * from './day/day-markdown.ts';
export * from './day/day-report.ts';
export * from './edges/agent-edges.ts';
export * from './field-problem.ts';
export * from './gateway-handle.ts';
export * from './gateway-request.ts';
export * from './gateway-status.ts';
export * from './health/wake-health.ts';
export * from './key-sequence.ts';
export * from './lanes/kept-state.ts';
export * from './lanes/lanes.ts';
export * from './limits.ts';
export * from './listener.ts';
export * from './mail/mail-address.ts';
export * from './mail/mail-attachment.ts';
export * from './mail/mail-box.ts';
export * from './mail/mail-compose.ts';
export * from './mail/mail-document.ts';
export * from './mail/mail-message.ts';
export * from './mail/mail-principal.ts';
export * from './mail/mail-query.ts';
export * from './mail/mail-recipient.ts';
export * from './mail/mail-ref.ts';
export * from './mail/mail-skills.ts';
export * from './mail/mailbox-modes.ts';
export type {
  MailDraft,
  MailMark,
  MailOperationInput,
  MailOperationName,
  MailPost,
  MailQuery,
  MailReply,
  MailSearch,
  NewAttachment,
} from './mail/operations.ts';

export * from './names.ts';
export * from './phrases/dialog-after.ts';
export * from './phrases/reason-text.ts';
export * from './phrases/request-title.ts';
export * from './phrases/time-words.ts';
export * from './phrases/wake-words.ts';
export * from './project.ts';
export * from './reminder/reminder.ts';
export * from './reminder/reminder-cadence.ts';
export * from './reminder/reminder-ranking.ts';
export * from './settings/quiet-hours.ts';
export * from './settings/server-settings.ts';
export * from './settings/wake-settings.ts';
export * from './standing.ts';
export * from './tables.ts';
export * from './tui-timings.ts';
export * from './utc-time.ts';
export * from './waits/find-cycle.ts';
export * from './waits/wait-edge.ts';
export * from './waits/wait-mail.ts';
export * from './waits/waits-document.ts';
export * from './words/reasons.ts';
export * from './words/standings.ts';
