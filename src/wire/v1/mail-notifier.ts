import * as z from 'zod';
import { limitSentence, NOTIFIER_MODES, NOTIFIER_OUTCOMES } from '../../domain/index.ts';
import { about, count, integer, name, oneOf, schemaVersion, stamp, strict, trimmed } from '../fields.ts';
import { allOurs } from '../source/ours.ts';
import { wakeSettingInputs, wakeSettingViews } from './wake-settings.ts';

/** Body of `PUT /v1/mail-notifier`. Disabling is DELETE. */
export const mailNotifierBody = name(
  'MailNotifierBody',
  strict({
    schema_version: schemaVersion(1),
    enabled: about('Only `true`; disabling is DELETE.', z.literal(true).optional()),
    ...wakeSettingInputs,
  }),
);

/** Body of `POST /v1/mail-notifier/resume`. */
export const mailNotifierResumeBody = name(
  'MailNotifierResumeBody',
  strict({
    schema_version: schemaVersion(1),
    thread_ref: about('A thread of `paused_threads`.', trimmed.max(1000)),
  }),
);

const pausedThread = name(
  'PausedThread',
  strict({
    thread_ref: z.string(),
    automatic_replies: about(
      'Consecutive replies of agents, without a person; counted up to the limit.',
      count,
    ),
    newest_at_utc: about('When its newest open message was written.', z.string()),
  }),
);

export const mailNotifierStatus = name(
  'MailNotifierStatus',
  strict({
    schema_version: z.literal(1),
    enabled: z.boolean(),
    ...wakeSettingViews,
    supported: z.boolean(),
    support_error: z.string().nullable(),
    last_poll_at_utc: stamp.nullable(),
    last_notification_at_utc: stamp.nullable(),
    last_error: z.string().nullable(),
    ...allOurs({
      paused_threads: about(
        `Threads in which agents only reply to each other: their mail wakes no agent. ${limitSentence('automaticReplies')} Absent when there are none.`,
        z.array(pausedThread).optional(),
      ),
      held_back: about(
        'Why open mail is not announced now; null when it is.',
        z.string().nullable().optional(),
      ),
      next_look_at_utc: about('The next check, unless an event comes earlier.', stamp.nullable().optional()),
    }),
  }),
);

/** One decision with the facts it was made from. The same facts always lead to the same decision. */
export const notifierDecision = name(
  'NotifierDecision',
  strict({
    audit_id: integer,
    poll_time_utc: stamp,
    outcome: oneOf(NOTIFIER_OUTCOMES),
    unread_count: count.nullable(),
    unread_digest: z.string().nullable(),
    unread_summary: z.array(z.record(z.string(), z.unknown())),
    request_admission: z.string().nullable(),
    active_execution: z.string().nullable(),
    queue_depth: count.nullable(),
    enqueued_request_id: z.string().nullable(),
    detail: z.string().nullable(),
    facts: z.record(z.string(), z.unknown()).nullable(),
    chain: about('Each rule that was applied, with its result.', z.array(z.string())),
  }),
);

export const notifierDecisions = name(
  'NotifierDecisions',
  strict({
    schema_version: z.literal(1),
    decisions: z.array(notifierDecision),
    announced_by: about(
      'The request that announced the `message_ref` of the query, while that message is open. Only with `message_ref`.',
      z.string().nullable().optional(),
    ),
  }),
);

export const notifierPreview = name(
  'NotifierPreview',
  strict({
    schema_version: z.literal(1),
    mode: oneOf(NOTIFIER_MODES),
    open_mail: about(
      'Messages that a wake would announce now; null when the mailbox cannot be read.',
      count.nullable(),
    ),
    leads_with: about('What the prompt names first.', z.enum(['tools', 'skill', 'command'])),
    prompt: z.string(),
    problem: about(
      "Why the user's own text is not used; null when it is, or when there is none.",
      z.string().nullable(),
    ),
  }),
);

export const notifierDecisionsQuery = z.object({
  limit: about('Newest first.', integer.min(1).max(1000).default(20)),
  before: about('Only decisions of a smaller audit_id.', integer.min(1).optional()),
  message_ref: about('Also returns the request that announced this message.', z.string().optional()),
});

export type MailNotifierBody = z.infer<typeof mailNotifierBody>;
export type MailNotifierInput = z.input<typeof mailNotifierBody>;
export type MailNotifierStatus = z.infer<typeof mailNotifierStatus>;
export type PausedThread = z.infer<typeof pausedThread>;
export type MailNotifierResumeBody = z.infer<typeof mailNotifierResumeBody>;
export type NotifierDecision = z.infer<typeof notifierDecision>;
export type NotifierPreview = z.infer<typeof notifierPreview>;
export type NotifierDecisions = z.infer<typeof notifierDecisions>;
