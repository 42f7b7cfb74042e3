import * as z from 'zod';
import {
  DELIVERY_KINDS,
  DELIVERY_OUTCOMES,
  DELIVERY_STATES,
  type FieldProblem,
  isRanking,
  limit,
  MAX_RANKING,
  REMINDER_MODES,
  reminderProblems,
  SELECTION_STATES,
} from '../../domain/index.ts';
import { isCron, MAX_CRON_LENGTH } from '../../domain/reminder/cron.ts';
import { about, bounded, name, notBlank, oneOf, rules, schemaVersion, stamp, strict } from '../fields.ts';
import { allOurs, ours } from '../source/ours.ts';
import { reminderFieldInputs, reminderFieldViews } from './reminder-fields.ts';
import { keyProblems } from './send-keys.ts';

const sendKeys = name(
  'ReminderSendKeys',
  rules(
    strict({
      sequence: bounded('keysLength', notBlank, 'The grammar of `POST /v1/control/send-keys`.'),
      ensure_enter: about('End in exactly one `<[Enter]>`.', z.boolean().default(true)),
    }),
    ({ sequence }): FieldProblem[] => keyProblems(sequence, false, ['sequence']),
  ),
);

/** Parsing is expensive: the check stops at the first bad one, and skips a list that is too long. */
function firstBadCron(list: readonly { cron?: string | null | undefined }[]): number {
  if (list.length > limit('remindersPerBody')) return -1;
  return list.findIndex(({ cron }) => cron != null && cron.length <= MAX_CRON_LENGTH && !isCron(cron));
}

const NO_CRON = 'must be a cron expression such as "0 9 * * 1-5"';

const definition = {
  mode: oneOf(REMINDER_MODES),
  title: about('For people; never sent.', notBlank.max(1000)),
  prompt: notBlank.nullish(),
  send_keys: sendKeys.nullish(),
  ranking: about(
    'A whole number of either sign; the smallest leads.',
    z
      .number()
      .refine((value) => Number.isInteger(value), 'must be an integer')
      .refine(
        isRanking,
        `must lie between -${MAX_RANKING} and ${MAX_RANKING}: JSON keeps no larger one exactly`,
      ),
  ),
  ...reminderFieldInputs,
};

export const reminderDefinition = name('ReminderDefinition', rules(strict(definition), reminderProblems));

/** Body of `POST /v1/reminders`: all of them are created, or none. */
export const createRemindersBody = name(
  'CreateRemindersBody',
  strict({
    schema_version: schemaVersion(1),
    reminders: bounded(
      'remindersPerBody',
      rules(z.array(reminderDefinition).min(1), (list) => {
        const bad = firstBadCron(list);
        return bad < 0 ? [] : [{ path: [bad, 'cron'], message: NO_CRON }];
      }),
    ),
  }),
);

/** Body of `PUT /v1/reminders/{reminder_id}`: every mutable field. */
export const putReminderBody = name(
  'PutReminderBody',
  rules(strict({ schema_version: schemaVersion(1), ...definition }), (one) => [
    ...(firstBadCron([one]) < 0 ? [] : [{ path: ['cron'], message: NO_CRON }]),
    ...reminderProblems(one),
  ]),
);

const lastDelivery = name(
  'ReminderDelivery',
  strict({
    reminder_id: z.string(),
    title: z.string(),
    outcome: oneOf(DELIVERY_OUTCOMES),
    finished_at_utc: stamp,
    reasons: z.array(z.string()),
    evidence: z.array(z.record(z.string(), z.unknown())),
  }),
);

/** One live reminder as it is now. */
export const reminder = name(
  'Reminder',
  strict({
    schema_version: z.literal(1),
    reminder_id: z.string(),
    mode: oneOf(REMINDER_MODES),
    delivery_kind: oneOf(DELIVERY_KINDS),
    title: z.string(),
    prompt: z.string().nullable(),
    send_keys: strict({ sequence: z.string(), ensure_enter: z.boolean() }).nullable(),
    ranking: z.number(),
    ...reminderFieldViews,
    selection_state: oneOf(SELECTION_STATES),
    delivery_state: oneOf(DELIVERY_STATES),
    created_at_utc: stamp,
    next_due_at_utc: stamp,
    last_started_at_utc: stamp.nullable(),
    blocked_by_reminder_id: about('The effective reminder; set exactly when blocked.', z.string().nullable()),
    ...allOurs({
      next_due_preview_utc: about(
        'The next five due times, unless something delays it.',
        z.array(stamp).optional(),
      ),
      last_delivery: about('How the last delivery ended.', lastDelivery.nullable().optional()),
      waiting_reason: about(
        'Why it is due but not delivered: the reason of the gate, of the gateway or of its rank.',
        z.string().nullable().optional(),
      ),
      waiting_since_utc: about('Since when that is the reason.', stamp.nullable().optional()),
    }),
  }),
);

/** Create returns the new ones in the order of the body; list returns all in ranking order. */
export const reminderSet = name(
  'ReminderSet',
  strict({
    schema_version: z.literal(1),
    effective_reminder_id: z.string().nullable(),
    reminders: z.array(reminder),
    recent_deliveries: ours(
      about(
        'The last deliveries that did not end as submitted, so that none is lost silently. List only.',
        z.array(lastDelivery).optional(),
      ),
    ),
  }),
);

export const reminderDeleted = name(
  'ReminderDeleted',
  strict({
    schema_version: z.literal(1),
    status: z.literal('ok'),
    action: z.literal('delete_reminder'),
    reminder_id: z.string(),
    deleted: z.literal(true),
    detail: z.string(),
  }),
);

export type ReminderDefinitionInput = z.input<typeof reminderDefinition>;
export type CreateRemindersBody = z.infer<typeof createRemindersBody>;
export type PutReminderBody = z.infer<typeof putReminderBody>;
export type PutReminderInput = z.input<typeof putReminderBody>;
export type Reminder = z.infer<typeof reminder>;
export type ReminderDelivery = z.infer<typeof lastDelivery>;
export type ReminderSet = z.infer<typeof reminderSet>;
export type ReminderDeleted = z.infer<typeof reminderDeleted>;
