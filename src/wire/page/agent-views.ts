import * as z from 'zod';
import { NOTIFIER_OUTCOMES, REQUEST_OUTCOMES, REQUEST_STATES } from '../../domain/index.ts';
import { about, count, integer, oneOf, stamp, strict } from '../fields.ts';
import { reminder } from '../v1/reminders.ts';
import { ledgerEntry } from '../v1/request-views.ts';
import { pageAgentRow } from './host-view.ts';

const commands = about(
  'The commands that do the same, each with a label.',
  z.array(strict({ label: z.string(), command: z.string() })),
);

export const pageQueueItem = strict({
  request_id: z.string(),
  ref: about('Its ledger, for `…/ledger/{ref}`.', z.string()),
  kind: z.string(),
  title: z.string(),
  state: oneOf(REQUEST_STATES),
  outcome: oneOf(REQUEST_OUTCOMES).nullable(),
  source: z.string(),
  accepted_at_utc: stamp,
  started_at_utc: stamp.nullable(),
  finished_at_utc: stamp.nullable(),
  waiting_reason: z.string().nullable(),
  error_detail: z.string().nullable(),
  cancellable: z.boolean(),
});

/** Queued requests first, then ended ones, newest first. */
export const pageQueue = strict({
  queue_depth: count,
  counts: z.record(z.string(), count),
  items: z.array(pageQueueItem),
  next: about('Pass it as `before` for the next page.', integer.nullable()),
});

export const pageAgentQuery = strict({
  queue: about('`true`: include its queue.', z.enum(['true', 'false']).optional()),
});

/** One agent with everything beside its timeline. */
export const pageAgent = strict({
  row: pageAgentRow,
  out_of_reach: about(
    'Why its screen, queue and ledger are not available; null when they are.',
    z.string().nullable(),
  ),
  why: about(
    'Why it does nothing now, or what it does, in one sentence; `rows` are the facts behind it.',
    strict({
      sentence: z.string(),
      decided_at_utc: stamp.nullable(),
      next_look_at_utc: stamp.nullable(),
      rows: z.array(strict({ label: z.string(), value: z.string() })),
    }),
  ),
  facts: about(
    'Directory, session, tool, gateway …',
    z.array(strict({ label: z.string(), value: z.string() })),
  ),
  notifier: strict({
    on: z.boolean(),
    summary: z.string(),
    last_at_utc: stamp.nullable(),
    held_back: z.string().nullable(),
  }),
  may: about(
    'What is possible with it now, regardless of the role.',
    strict({
      prompt: z.boolean(),
      interrupt: z.boolean(),
      keys: z.boolean(),
      mail: z.boolean(),
      reminders: z.boolean(),
    }),
  ),
  what_will_happen: about(
    'What each way to write to it would do now, one sentence each.',
    strict({ mail: z.string(), prompt: z.string(), interrupt: z.string() }),
  ),
  commands,
  queue: about('When it was requested and is available.', pageQueue.nullable()),
});

export const TIMELINE_KINDS = [
  'mail',
  'prompt',
  'wake',
  'reminder',
  'request',
  'state',
  'keys',
  'interrupt',
] as const;

export const pageTimelineItem = strict({
  key: about('Identifies the item across pages.', z.string()),
  at_utc: stamp,
  kind: z.enum(TIMELINE_KINDS),
  title: about('One line.', z.string()),
  who: about('The sender or requester, if known.', z.string().nullable()),
  outcome: about('How it ended, or its state: `submitted`, `queued`, `unread` …', z.string().nullable()),
  trouble: about('It failed, or its result is not known.', z.boolean()),
  ref: about('Its ledger, for `…/ledger/{ref}`; null when there is none.', z.string().nullable()),
  href: about('A place of the page that shows it, such as the message.', z.string().nullable()),
});

/** Newest first. */
export const pageTimeline = strict({
  items: z.array(pageTimelineItem),
  next: about('Pass it as `before` for older items; null at the beginning.', z.string().nullable()),
  troubles: z.array(z.string()),
});

export const pageTimelineQuery = strict({
  before: z.string().max(100).optional(),
  kinds: about('Separated by commas. Default: all.', z.string().max(200).optional()),
  limit: integer.min(1).max(200).default(50),
});

/** The proof of one item: what was observed, stage by stage. */
export const pageLedger = strict({
  ref: z.string(),
  kind: z.enum(TIMELINE_KINDS),
  title: z.string(),
  text: about('The accepted prompt or keys; cut when long.', z.string().nullable()),
  state: z.string(),
  outcome: z.string().nullable(),
  trouble: about('It ended, but not as intended.', z.boolean()),
  waiting_reason: z.string().nullable(),
  error_detail: z.string().nullable(),
  source: z.string().nullable(),
  accepted_at_utc: stamp.nullable(),
  finished_at_utc: stamp.nullable(),
  stages: about('Each with its observer and evidence.', z.array(ledgerEntry)),
  decision: about(
    'For a wake: the decision behind it, with its facts and chain of reasons.',
    strict({
      at_utc: stamp,
      outcome: oneOf(NOTIFIER_OUTCOMES),
      detail: z.string().nullable(),
      chain: z.array(z.string()),
      facts: z.record(z.string(), z.unknown()).nullable(),
    }).nullable(),
  ),
  command: about('The command that shows the same.', z.string().nullable()),
});

export const pageQueueQuery = strict({
  before: integer.min(1).optional(),
  limit: integer.min(1).max(200).default(50),
});

export type PageAgent = z.infer<typeof pageAgent>;
export type PageTimelineItem = z.infer<typeof pageTimelineItem>;
export type PageTimeline = z.infer<typeof pageTimeline>;
export type PageLedger = z.infer<typeof pageLedger>;
export type PageQueueItem = z.infer<typeof pageQueueItem>;
export type PageQueue = z.infer<typeof pageQueue>;

/** Ranked within each agent, as they are delivered. */
export const pageReminders = strict({
  agents: z.array(
    strict({
      agent: z.string(),
      effective_reminder_id: z.string().nullable(),
      reminders: z.array(reminder),
      trouble: about('Why they cannot be read; null when they can.', z.string().nullable()),
    }),
  ),
});

export type PageReminders = z.infer<typeof pageReminders>;
