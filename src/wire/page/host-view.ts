import * as z from 'zod';
import { AGENT_STATES, type AgentState, NEED_KINDS, SHOWN_GATEWAYS } from '../../domain/index.ts';
import { about, count, integer, stamp, strict } from '../fields.ts';

/** The states of `rouse ls`; `elsewhere`: on another host, known only from the registry. */
export const PAGE_AGENT_STATES = Object.keys(AGENT_STATES) as [AgentState, ...AgentState[]];

/** One agent, as the list shows it. */
export const pageAgentRow = strict({
  name: z.string(),
  id: z.string(),
  host: z.string(),
  here: about(
    'On the host of the server; only then are its screen, queue and ledger available.',
    z.boolean(),
  ),
  tool: z.string(),
  project: about(
    'Its project, if an agent of another one has the same short name; else null.',
    z.string().nullable(),
  ),
  address: about('Address of its mailbox.', z.string().nullable()),
  state: z.enum(PAGE_AGENT_STATES),
  state_words: about('The state for people: `working`, `permission dialog`.', z.string()),
  state_since_utc: stamp.nullable(),
  reason: about('Why it is in this state, in a few words; empty when the state is enough.', z.string()),
  needs_you: about('What a person has to do; null while no one is needed.', z.string().nullable()),
  doing_now: about('The current prompt or task, on one line.', z.string().nullable()),
  unread: about('Open mail; null when it is not counted.', count.nullable()),
  owes: about('Open requests that it has to answer.', count),
  owed: about('Open requests that it waits for.', count),
  queue_depth: count,
  last_wake_utc: stamp.nullable(),
  wakes: about('Wakes proven to be submitted; null when it is never woken.', count.nullable()),
  paused: about(
    'A person has paused it; null if not.',
    strict({ until_utc: about('Null: until it is resumed.', stamp.nullable()) }).nullish(),
  ),
  done_unseen: about('A turn ended since it was last opened on a page.', z.boolean()),
  gateway: strict({
    mode: z.enum(SHOWN_GATEWAYS),
    alive: z.boolean(),
  }),
  last_hour: about(
    'Sixty minutes, oldest first; `from_utc` is the start of the first.',
    strict({ from_utc: stamp, wakes: z.array(count).max(60), turns: z.array(count).max(60) }),
  ),
});

/** Something that needs a person. */
export const pageNeed = strict({
  key: about('Stays the same as long as the matter lasts.', z.string()),
  kind: z.enum(NEED_KINDS),
  agent: about('Its name; null when it is about no agent.', z.string().nullable()),
  why: about('One sentence.', z.string()),
  since_utc: stamp.nullable(),
  request_id: about('The request that it is about; null for other kinds.', z.string().nullable()),
  priority: about('Of the request, 0 to 100; 0 for other kinds.', count),
  action: strict({
    label: z.string(),
    href: about('A place of the page, such as `/ui/agents/ana?tab=screen`.', z.string()),
    command: about('The command that does or shows the same.', z.string().nullable()),
  }),
});

export const pageCounts = strict({
  agents: count,
  working: count,
  idle: count,
  waiting: count,
  needs_you: count,
  gone: count,
  elsewhere: count,
  unread_operator: about("Unread mail in the operator's own inbox.", count),
  requests_for_me: count,
  requests_open: count,
});

export const pageSnapshot = strict({
  seq: about('Changes with a greater number came after this snapshot.', integer),
  epoch: about('Identifies the server process; if it differs, fetch the snapshot again.', z.string()),
  now_utc: stamp,
  host: z.string(),
  agents: z.array(pageAgentRow),
  needs_you: about('The most urgent first.', z.array(pageNeed)),
  counts: pageCounts,
  troubles: about('What could not be read; everything else is shown.', z.array(z.string())),
  muted: about(
    'Agents whose needs this person hides, each while it is in this state.',
    z.array(strict({ id: z.string(), state: z.string() })),
  ),
});

export const TOUCHED = ['mail', 'queue', 'timeline', 'screen', 'reminders', 'requests'] as const;

/** Data of the event `change`. Rows are complete: each replaces the row with the same id. */
export const pageChange = strict({
  seq: integer,
  now_utc: stamp,
  agents: z.array(pageAgentRow).optional(),
  removed: about('Ids of agents that no longer exist.', z.array(z.string())).optional(),
  needs_you: about('The complete new list.', z.array(pageNeed)).optional(),
  counts: pageCounts.optional(),
  touched: about(
    'What to fetch again; `agent` is a name, or null when it concerns no single agent.',
    z.array(strict({ agent: z.string().nullable(), what: z.enum(TOUCHED) })),
  ).optional(),
});

/** Data of the event `hello`, and of `resync`, which means: fetch the snapshot again. */
export const pageHello = strict({ seq: integer, epoch: z.string(), now_utc: stamp });

export const pageEventsQuery = strict({
  after: about('`seq` of the snapshot. `Last-Event-ID` wins.', integer.nonnegative().optional()),
  watch: about(
    'Names of the agents whose screens the page shows, separated by commas; only these are captured.',
    z.string().max(2000).optional(),
  ),
});

export type PageAgentRow = z.infer<typeof pageAgentRow>;
export type PageNeed = z.infer<typeof pageNeed>;
export type PageCounts = z.infer<typeof pageCounts>;
export type PageSnapshot = z.infer<typeof pageSnapshot>;
export type PageChange = z.infer<typeof pageChange>;
export type PageHello = z.infer<typeof pageHello>;
