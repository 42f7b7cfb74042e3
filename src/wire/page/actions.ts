import * as z from 'zod';
import { isCron, MAX_CRON_LENGTH } from '../../domain/reminder/cron.ts';
import { about, instant, notBlank, oneLine, stamp, strict } from '../fields.ts';
import { createRequestBody, requestMessageBody, respondRequestBody } from '../fleet/request-bodies.ts';
import { reminderDefinition } from '../v1/reminders.ts';

/** Chosen by the browser for each click. The same id again gets the first response, and nothing is done twice. */
export const actionId = about('A uuid, new for each click; the same id is the same action.', z.uuid());
const acting = { action_id: actionId };

export const pagePromptBody = strict({ ...acting, prompt: notBlank });
export const pageInterruptBody = strict(acting);
export const pageAgentPauseBody = strict({
  ...acting,
  paused: z.boolean(),
  until_utc: about(
    'When the pause ends by itself. Null or absent: when a person resumes it.',
    instant.nullish(),
  ),
});
export const pageAgentMuteBody = strict({
  ...acting,
  muted: z.boolean(),
  state: about(
    'The state that the person saw, as the page names it. The mute is over once it differs.',
    oneLine.max(300),
  ),
});
export const pageAgentEndBody = strict({
  ...acting,
  in_turn: about(
    'The person knows that a turn is under way and is cut off. Without it, a working agent is left alone (409).',
    z.boolean().default(false),
  ),
});
export const pageDialogBody = strict({
  ...acting,
  dialog_hash: about('Hash of the dialog that the person saw.', oneLine.max(100)),
  key: about('One of its choices.', oneLine.max(40)),
});
export const pageReminderBody = strict({ ...acting, reminder: reminderDefinition });
/** What an edit changes; the rest of the reminder stays as it is. */
export const pageReminderEditBody = strict({
  ...acting,
  title: reminderDefinition.shape.title.optional(),
  prompt: notBlank.optional(),
  interval_seconds: reminderDefinition.shape.interval_seconds.optional(),
  cron: reminderDefinition.shape.cron.optional(),
  time_zone: reminderDefinition.shape.time_zone.optional(),
});
export const pageReminderOrderBody = strict({
  ...acting,
  order: about(
    'Every reminder of the agent, the first to be delivered first.',
    z.array(notBlank.max(200)).min(1).max(1000),
  ),
});
export const pageReminderRestoreBody = strict({
  ...acting,
  removal: about('The `action_id` with which it was removed, a moment ago.', z.uuid()),
});
export const pageReminderPauseBody = strict({ ...acting, paused: z.boolean() });
export const pageActBody = strict(acting);
export const pageRespondBody = strict({ ...acting, ...respondRequestBody.shape });
/** In the org of the link; the click is its key. */
export const pageRequestCreateBody = strict({
  ...acting,
  ...createRequestBody.omit({ org_id: true, idempotency_key: true }).shape,
});
export const pageRequestMessageBody = strict({ ...acting, ...requestMessageBody.shape });

export const pageNextQuery = strict({
  cron: z
    .string()
    .trim()
    .max(MAX_CRON_LENGTH)
    .refine(isCron, 'must be a cron expression such as "0 9 * * 1-5"'),
  time_zone: reminderDefinition.shape.time_zone.optional(),
});
export const pageNext = strict({
  time_zone: z.string(),
  next_due_utc: about('The next three times.', z.array(stamp)),
});

/** What was done, and how to follow it. */
export const pageReceipt = strict({
  action_id: z.string(),
  status: about(
    '`accepted`: stored; later stages follow in its ledger. `done`: complete.',
    z.enum(['accepted', 'done']),
  ),
  sentence: about('What happened, for people.', z.string()),
  at_utc: stamp,
  ref: about('The ledger to follow; null when there is none.', z.string().nullable()),
  repeated: about('The action was known; nothing was done again.', z.boolean()),
  command: about('The command that does the same.', z.string().nullable()),
});

export type PageNextTimes = z.infer<typeof pageNext>;
export type PageReceipt = z.infer<typeof pageReceipt>;
