import * as z from 'zod';
import { NOTIFIER_OUTCOMES, REQUEST_OUTCOMES, REQUEST_STATES } from '../../domain/index.ts';
import { about, count, integer, oneOf, stamp, strict } from '../fields.ts';
import { ledgerEntry } from '../v1/request-views.ts';
import { pageAgentRow } from './host-view.ts';

const commands = about(
  'The command lines that do the same, by what they do.',
  z.array(strict({ label: z.string(), command: z.string() })),
);

export const pageQueueItem = strict({
  request_id: z.string(),
  ref: about('Of its ledger.', z.string()),
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

/** In line first, then the newest that ended. */
export const pageQueue = strict({
  queue_depth: count,
  counts: z.record(z.string(), count),
  items: z.array(pageQueueItem),
  next: about('Give it back as `before`.', integer.nullable()),
});

export const pageAgentQuery = strict({
  queue: about('With its queue.', z.enum(['true', 'false']).optional()),
});

/** One agent with everything that stands beside its timeline. */
export const pageAgent = strict({
  row: pageAgentRow,
  out_of_reach: about(
    'Why screen, queue and ledger cannot be had; null when they can.',
    z.string().nullable(),
  ),
  why: about(
    'One sentence: why it does nothing now, or what it does; `rows` are the facts behind it.',
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
    'What can be done with it now, whatever the role.',
    strict({
      prompt: z.boolean(),
      interrupt: z.boolean(),
      keys: z.boolean(),
      mail: z.boolean(),
      reminders: z.boolean(),
    }),
  ),
  what_will_happen: about(
    'What each way of writing to it does now, one sentence each.',
    strict({ mail: z.string(), prompt: z.string(), interrupt: z.string() }),
  ),
  commands,
  queue: about('Where it was asked for and can be had.', pageQueue.nullable()),
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
  key: about('The same thing has the same key.', z.string()),
  at_utc: stamp,
  kind: z.enum(TIMELINE_KINDS),
  title: about('One line.', z.string()),
  who: about('Who sent or asked, as known.', z.string().nullable()),
  outcome: about('How it ended or stands: `submitted`, `queued`, `unread` …', z.string().nullable()),
  trouble: about('It failed, or nobody knows whether it worked.', z.boolean()),
  ref: about(
    'Of its ledger, for `…/ledger/{ref}`; null when there is nothing more to show.',
    z.string().nullable(),
  ),
  href: about('A place of the page that shows it, such as the message.', z.string().nullable()),
});

/** Newest first. */
export const pageTimeline = strict({
  items: z.array(pageTimelineItem),
  next: about('Give it back as `before`; null at the beginning.', z.string().nullable()),
  troubles: z.array(z.string()),
});

export const pageTimelineQuery = strict({
  before: z.string().max(100).optional(),
  kinds: about('With commas. Default: all.', z.string().max(200).optional()),
  limit: integer.min(1).max(200).default(50),
});

/** The proof of one thing: what was seen of it, stage by stage. */
export const pageLedger = strict({
  ref: z.string(),
  kind: z.enum(TIMELINE_KINDS),
  title: z.string(),
  text: about('The prompt or keys as they were accepted; cut when long.', z.string().nullable()),
  state: z.string(),
  outcome: z.string().nullable(),
  trouble: about('It ended, and not as it was meant to.', z.boolean()),
  waiting_reason: z.string().nullable(),
  error_detail: z.string().nullable(),
  source: z.string().nullable(),
  accepted_at_utc: stamp.nullable(),
  finished_at_utc: stamp.nullable(),
  stages: about('Each with who saw it and the evidence.', z.array(ledgerEntry)),
  decision: about(
    'Of a wake: the facts of the decision behind it, and its chain of reasons.',
    strict({
      at_utc: stamp,
      outcome: oneOf(NOTIFIER_OUTCOMES),
      detail: z.string().nullable(),
      chain: z.array(z.string()),
      facts: z.record(z.string(), z.unknown()).nullable(),
    }).nullable(),
  ),
  command: about('The command line that shows the same.', z.string().nullable()),
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
