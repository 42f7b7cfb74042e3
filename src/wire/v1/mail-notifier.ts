import * as z from 'zod';
import { isTimeZone, limitSentence, NOTIFIER_MODES, REPEAT_POLICIES } from '../../domain/index.ts';
import { about, count, integer, name, schemaVersion, stamp, strict, trimmed } from '../fields.ts';

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00');

const quietHours = name(
  'QuietHours',
  strict({
    from: timeOfDay,
    to: about('May be earlier than `from`: the hours then pass midnight.', timeOfDay),
    time_zone: trimmed.refine(
      (value) => isTimeZone(value),
      'must be an IANA time zone such as Europe/Zurich',
    ),
  }),
);

const policy = {
  repeat: about(
    '`every_poll` wakes at each interval while mail is open; `on_change` only when it changed; `backoff` on change and then at growing intervals.',
    z.enum(REPEAT_POLICIES).default('every_poll'),
  ),
  quiet_hours: about(
    'No wakes between these times of day; what came in is announced afterwards.',
    quietHours.nullish(),
  ),
  wakes_per_hour: about('Maximum number of wakes in any hour.', integer.positive().nullish()),
};

/** Body of `PUT /v1/mail-notifier`. Disabling is DELETE. */
export const mailNotifierBody = name(
  'MailNotifierBody',
  strict({
    schema_version: schemaVersion(1),
    enabled: about('Only `true`; disabling is DELETE.', z.literal(true).optional()),
    interval_seconds: integer.positive().max(366 * 86_400),
    mode: about('Omitting it resets it to `any_inbox`.', z.enum(NOTIFIER_MODES).default('any_inbox')),
    ...policy,
  }),
);

/** Body of `POST /v1/mail-notifier/resume`. */
export const mailNotifierResumeBody = name(
  'MailNotifierResumeBody',
  strict({
    schema_version: schemaVersion(1),
    thread_ref: about('A thread of `paused_threads`.', trimmed),
  }),
);

const pausedThread = name(
  'PausedThread',
  strict({
    thread_ref: z.string(),
    automatic_replies: about('Replies of agents in a row, without a person; counted up to the limit.', count),
    newest_at_utc: about('When its newest open message was written.', z.string()),
  }),
);

export const mailNotifierStatus = name(
  'MailNotifierStatus',
  strict({
    schema_version: z.literal(1),
    enabled: z.boolean(),
    interval_seconds: integer.positive().nullable(),
    mode: z.enum(NOTIFIER_MODES),
    supported: z.boolean(),
    support_error: z.string().nullable(),
    last_poll_at_utc: stamp.nullable(),
    last_notification_at_utc: stamp.nullable(),
    last_error: z.string().nullable(),
    repeat: z.enum(REPEAT_POLICIES).optional(),
    quiet_hours: quietHours.nullable().optional(),
    wakes_per_hour: integer.positive().nullable().optional(),
    paused_threads: about(
      `Threads in which agents only answer each other: their mail wakes nobody. ${limitSentence('automaticReplies')} Absent without any.`,
      z.array(pausedThread).optional(),
    ),
    held_back: about('Why open mail is not announced now, if it is not.', z.string().nullable().optional()),
    next_look_at_utc: about(
      'When it is looked at next, if nothing happens before.',
      stamp.nullable().optional(),
    ),
  }),
);

/** One decision: what was decided, and from which facts. Deciding again from the same facts gives the same. */
export const notifierDecision = name(
  'NotifierDecision',
  strict({
    audit_id: integer,
    poll_time_utc: stamp,
    outcome: z.enum(['empty', 'dedup_skip', 'busy_skip', 'enqueued', 'poll_error']),
    unread_count: count.nullable(),
    unread_digest: z.string().nullable(),
    unread_summary: z.array(z.record(z.string(), z.unknown())),
    request_admission: z.string().nullable(),
    active_execution: z.string().nullable(),
    queue_depth: count.nullable(),
    enqueued_request_id: z.string().nullable(),
    detail: z.string().nullable(),
    facts: z.record(z.string(), z.unknown()).nullable(),
    chain: about('Each rule that was asked, and its answer.', z.array(z.string())),
  }),
);

export const notifierDecisions = name(
  'NotifierDecisions',
  strict({
    schema_version: z.literal(1),
    decisions: z.array(notifierDecision),
    announced_by: about(
      'The request that announced the `message_ref` of the query, while it is open. Only with one.',
      z.string().nullable().optional(),
    ),
  }),
);

export const notifierPreview = name(
  'NotifierPreview',
  strict({
    schema_version: z.literal(1),
    mode: z.enum(NOTIFIER_MODES),
    open_mail: about(
      'Messages a wake would be about now; null when the mailbox cannot be read.',
      count.nullable(),
    ),
    leads_with: about('What the prompt names first.', z.enum(['tools', 'skill', 'command'])),
    prompt: z.string(),
    problem: about('Why it is not the text the user wrote, if it is not.', z.string().nullable()),
  }),
);

export const notifierDecisionsQuery = z.object({
  limit: about('Newest first.', integer.min(1).max(1000).default(20)),
  before: about('Only decisions of a smaller audit_id.', integer.min(1).optional()),
  message_ref: about('Answers also which request announced this message.', z.string().optional()),
});

export type MailNotifierBody = z.infer<typeof mailNotifierBody>;
export type MailNotifierInput = z.input<typeof mailNotifierBody>;
export type MailNotifierStatus = z.infer<typeof mailNotifierStatus>;
export type PausedThread = z.infer<typeof pausedThread>;
export type MailNotifierResumeBody = z.infer<typeof mailNotifierResumeBody>;
export type NotifierDecision = z.infer<typeof notifierDecision>;
export type NotifierPreview = z.infer<typeof notifierPreview>;
export type NotifierDecisions = z.infer<typeof notifierDecisions>;
