import { commandLine, isRouseError } from '../../../base/index.ts';
import { bareReason, headline, isHeadless, nextLook, wakePolicyWords } from '../../../domain/index.ts';
import { lookAgainOf } from '../../../gateway/offline.ts';
import type {
  MailNotifierStatus,
  NotifierDecision,
  PageAgent,
  PageAgentRow,
  RequestView,
} from '../../../wire/index.ts';
import { type AgentReach, hostWords, type ReachedAgent, remoteTimeout } from './agent-reach.ts';

interface Known {
  notifier: (Partial<MailNotifierStatus> & { enabled: boolean }) | undefined;
  decision: NotifierDecision | undefined;
  request: RequestView | undefined;
}

const NOTHING: Known = { notifier: undefined, decision: undefined, request: undefined };

/** Returns everything shown beside the timeline of an agent. */
export async function agentFacts(reach: AgentReach, agent: ReachedAgent): Promise<Omit<PageAgent, 'queue'>> {
  const { row, facts } = agent;
  const out_of_reach = reach.whyNot(agent);
  const known = row.here
    ? out_of_reach === null
      ? await knownOf(reach, agent)
      : NOTHING
    : await readRemotely(reach, agent);
  const { notifier } = known;
  // A gateway may outlive its session for a moment, but nothing can be typed any more.
  const alive = row.gateway.alive && row.state !== 'gone';
  const tui = facts !== undefined && !isHeadless(facts.backend);
  return {
    row,
    out_of_reach,
    why: whyOf(row, known, out_of_reach),
    facts: factRows(agent),
    notifier: {
      on: notifier?.enabled ?? false,
      summary: notifierWords(notifier),
      last_at_utc: notifier?.last_notification_at_utc ?? row.last_wake_utc,
      held_back: notifier?.held_back ? bareReason(notifier.held_back) : null,
    },
    may: {
      prompt: alive,
      interrupt: alive,
      keys: alive && tui,
      mail: row.address !== null || (alive && !row.here),
      reminders: alive,
    },
    what_will_happen: whatWillHappen(row, notifier?.enabled ?? false),
    commands: commandsFor(row),
  };
}

async function knownOf(reach: AgentReach, agent: ReachedAgent): Promise<Known> {
  const stored = reach.records(agent, (records) => {
    const [decision] = records.decisions(1);
    return {
      notifier: records.notifier() as Known['notifier'],
      decision,
      request: requestOf(records, decision),
    };
  });
  const gateway = await reach.gateway(agent).catch(() => undefined);
  const live = await gateway?.notifier().catch(() => undefined);
  return { ...NOTHING, ...stored, ...(live && { notifier: live }) };
}

/** For an agent on another host: what its gateway reports through the server. */
async function readRemotely(reach: AgentReach, agent: ReachedAgent): Promise<Known> {
  const gateway = await reach.gateway(agent);
  if (!gateway) return NOTHING;
  const [notifier, decided] = await Promise.all([
    gateway.call('notifier.status', {}, remoteTimeout()).catch(() => undefined),
    gateway.call('notifier.decisions', { limit: 1 }, remoteTimeout()).catch(() => undefined),
  ]);
  const decision = decided?.decisions[0];
  const id = decision?.enqueued_request_id;
  const request =
    id == null ? undefined : await gateway.getRequest(id, false, remoteTimeout()).catch(() => undefined);
  return { notifier, decision, request };
}

function requestOf(
  records: { request: (id: string) => RequestView },
  decision: NotifierDecision | undefined,
): RequestView | undefined {
  const id = decision?.enqueued_request_id;
  if (id == null) return undefined;
  try {
    return records.request(id);
  } catch (error) {
    // It may be older than what is kept.
    if (isRouseError(error)) return undefined;
    throw error;
  }
}

function whyOf(row: PageAgentRow, known: Known, unreachable: string | null): PageAgent['why'] {
  const { notifier, decision, request } = known;
  const rows = [
    ...(decision
      ? [
          { label: 'Last decision', value: headline(decision, request) },
          ...decision.chain.map((value) => ({ label: 'Asked', value })),
          { label: 'Next', value: nextLook(decision, lookAgainOf(decision)) },
        ]
      : []),
    ...(notifier?.last_error ? [{ label: 'Last error', value: notifier.last_error }] : []),
  ];
  return {
    sentence: whereAndWhy(row, unreachable, () => sentenceOf(row, known)),
    decided_at_utc: decision?.poll_time_utc ?? null,
    next_look_at_utc: notifier?.next_look_at_utc ?? null,
    rows,
  };
}

function whereAndWhy(row: PageAgentRow, unreachable: string | null, why: () => string): string {
  if (unreachable === null) return why();
  if (row.here) return `Nothing is known about it: ${unreachable}.`;
  return row.gateway.alive ? `It runs on ${hostWords(row)}. ${why()}` : `It runs on ${hostWords(row)}.`;
}

function sentenceOf(row: PageAgentRow, { notifier, decision, request }: Known): string {
  const { state, needs_you, unread, queue_depth } = row;
  if (needs_you !== null) return `Waiting for you: ${needs_you}.`;
  const { first, last } = OF_STATE[state];
  const says = first?.(row, notifier);
  if (says) return says;
  if (notifier?.held_back) return `Its mail is held back: ${bareReason(notifier.held_back)}.`;
  if (queue_depth > 0)
    return `${queue_depth === 1 ? '1 request is' : `${queue_depth} requests are`} queued for it.`;
  if ((unread ?? 0) > 0 && notifier && !notifier.enabled)
    return `It has ${unread} open ${unread === 1 ? 'message' : 'messages'}, and its wakes are off.`;
  if ((unread ?? 0) > 0 && decision)
    return `${headline(decision, request).replace(/^\w/, (c) => c.toUpperCase())}.`;
  return last?.(row) ?? 'It has nothing to do: no open mail, nothing queued.';
}

/** What the state alone says: before, and after, what waits for the agent. */
interface StateSentence {
  first?: (row: PageAgentRow, notifier: Known['notifier']) => string | null;
  last?: (row: PageAgentRow) => string;
}

const doing = ({ doing_now }: PageAgentRow): string | null => doing_now && `It is working: ${doing_now}.`;

const OF_STATE: Record<PageAgentRow['state'], StateSentence> = {
  needs_you: {},
  gone: {},
  working: { first: (row) => doing(row) ?? 'It is working on a turn.' },
  waiting: { last: ({ reason, state_words }) => `It waits: ${reason || state_words}.` },
  starting: { first: () => 'Its gateway is being started.' },
  idle: {},
  not_watched: { first: () => 'It has no gateway, so nothing watches or wakes it.' },
  elsewhere: {
    first: (row, notifier) =>
      notifier ? doing(row) : `It is ${row.state_words}; its gateway has reported no more.`,
  },
};

function notifierWords(notifier: Known['notifier']): string {
  if (!notifier) return 'nothing wakes it for mail';
  if (!notifier.enabled) return 'wakes are off';
  return `woken for ${wakePolicyWords(notifier)}`;
}

function factRows({ row, facts }: ReachedAgent): PageAgent['facts'] {
  const rows: [string, string | null | undefined][] = [
    ['Host', row.host],
    ['Tool', row.tool],
    ['Directory', facts?.workingDirectory],
    ['Mailbox', row.address],
    ['tmux session', facts?.tmuxSessionName],
    ['tmux socket', facts?.tmuxSocket],
    ['Gateway', row.gateway.mode.replace('_', ' ')],
    ['Kind', facts && `${facts.backend}${facts.joined ? ', joined' : ''}`],
    ['Agent id', row.id],
    ['Session', facts?.root],
  ];
  return rows.flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

function whatWillHappen(row: PageAgentRow, wakes: boolean): PageAgent['what_will_happen'] {
  const { state, state_words, name } = row;
  if (!row.here) return elsewhereWill(row, wakes);
  if (state === 'gone' || (!row.gateway.alive && state !== 'starting')) return unwatchedWill(row);
  const waits = state === 'idle' ? undefined : state_words;
  return {
    mail: row.paused
      ? `The mail is stored; ${name} is paused, so it is woken for it when the pause ends.`
      : wakes
        ? `The mail is stored, and ${name} is woken for it as soon as it may be disturbed.`
        : `The mail is stored; wakes are off, so ${name} reads it when it next looks.`,
    prompt:
      waits === undefined
        ? 'Idle: the prompt is stored, typed right away, and its delivery is confirmed below.'
        : `The prompt is stored and queued (${waits}); it is typed when ${name} is ready.`,
    interrupt:
      state === 'working'
        ? `The interrupt key is pressed now; the turn of ${name} ends, and the next queued request follows.`
        : `Nothing seems to be running: the interrupt is stored, and no key is pressed if that is so.`,
  };
}

/** There is no gateway to wake it or type. */
function unwatchedWill({ name, state, state_words, needs_you }: PageAgentRow): PageAgent['what_will_happen'] {
  const why = state === 'not_watched' ? 'it has no gateway' : (needs_you ?? state_words);
  const not = `Nothing can be typed into ${name}: ${why}.`;
  return { mail: `The mail is stored; nothing wakes ${name} for it: ${why}.`, prompt: not, interrupt: not };
}

/** A request to another host travels with the next heartbeat of its gateway, which returns the result. */
function elsewhereWill(row: PageAgentRow, wakes: boolean): PageAgent['what_will_happen'] {
  const { name } = row;
  const where = hostWords(row);
  if (!row.gateway.alive) {
    const away = `${name} is ${row.state_words} on ${where}: nothing can be sent to it now.`;
    return { mail: away, prompt: away, interrupt: away };
  }
  const through = `Through the server to its gateway on ${where}`;
  return {
    mail: `${through}: a note in its inbox there${wakes ? `, for which ${name} is woken` : ''}.`,
    prompt: `${through}: the prompt is stored there, and typed when ${name} is ready.`,
    interrupt: `${through}: the interrupt is stored there, and the key is pressed if a turn is running.`,
  };
}

function commandsFor({ name, here }: PageAgentRow): PageAgent['commands'] {
  return [
    here
      ? { label: 'Open its window', command: commandLine`rouse open ${name}` }
      : { label: 'Show it', command: commandLine`rouse fleet show ${name}` },
    { label: 'Why it was woken or not', command: commandLine`rouse why ${name}` },
    { label: 'Send mail', command: commandLine`rouse send ${name} SUBJECT --body TEXT` },
    {
      label: 'Queue a prompt',
      command: commandLine`rouse agents gateway requests submit ${name} --prompt TEXT`,
    },
    { label: 'Its queue', command: commandLine`rouse agents gateway requests list ${name}` },
    { label: 'Its reminders', command: commandLine`rouse agents gateway reminders list ${name}` },
    { label: 'Interrupt it', command: commandLine`rouse agents interrupt ${name}` },
  ];
}
