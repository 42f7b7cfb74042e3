import * as z from 'zod';
import { about, instant, notBlank, oneLine, stamp, strict } from '../fields.ts';
import { requestMessageBody, respondRequestBody } from '../fleet/request-bodies.ts';
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
export const pageReminderPauseBody = strict({ ...acting, paused: z.boolean() });
export const pageActBody = strict(acting);
export const pageRespondBody = strict({ ...acting, ...respondRequestBody.shape });
export const pageRequestMessageBody = strict({ ...acting, ...requestMessageBody.shape });

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

export type PageReceipt = z.infer<typeof pageReceipt>;
