import { messageOf, preview, utcStamp } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import {
  DONE_DELIVERIES,
  isAmong,
  type MailMessage,
  OPERATOR,
  REQUEST_KINDS,
  REQUEST_OUTCOMES,
  REQUEST_STATES,
} from '../../../domain/index.ts';
import type { HostMail } from '../../../session/index.ts';
import {
  type PageAgentRow,
  type PageTimeline,
  type PageTimelineItem,
  type RequestView,
  TIMELINE_KINDS,
} from '../../../wire/index.ts';
import { agentLink, mailLink, requestLink } from '../../links.ts';
import type { AgentEvents, EventLine } from './agent-events.ts';
import { type AgentReach, type ReachedAgent, remoteTimeout } from './agent-reach.ts';
import type { SeenStates, StateChange } from './seen-states.ts';

export interface TimelineParts {
  reach: AgentReach;
  mail: HostMail;
  sql: Sql;
  states: SeenStates;
  events: AgentEvents;
}

export interface TimelineQuery {
  before?: string | undefined;
  kinds?: string | undefined;
  limit: number;
}

/** How many items of each source are read. */
const MAX_PER_SOURCE = 500;
/** For an agent on another host, which is asked through the server. */
const MAX_REMOTE = 100;

/** Merges mail, prompts, wakes, reminders, requests, keys and changes of state, newest first. */
export async function timelineOf(
  parts: TimelineParts,
  agent: ReachedAgent,
  { before, kinds, limit }: TimelineQuery,
): Promise<PageTimeline> {
  const troubles: string[] = [];
  const trying = async (what: string, work: () => Promise<PageTimelineItem[]> | PageTimelineItem[]) => {
    try {
      return await work();
    } catch (error) {
      troubles.push(`${what}: ${messageOf(error)}`);
      return [];
    }
  };
  const { row, paths } = agent;
  // The newest overall are among the newest of each source.
  const max = before === undefined && !kinds ? limit + 1 : MAX_PER_SOURCE;
  const sources = await Promise.all([
    paths
      ? trying(
          'its queue',
          () => parts.reach.records(agent, (records) => records.requests(max).map(ofRequest)) ?? [],
        )
      : trying('its queue', () => remoteRequests(parts.reach, agent)),
    paths ? trying('its events', () => parts.events.of(paths.events).flatMap(ofEvent)) : [],
    trying('its states', () => states(parts, agent)),
    row.address ? trying('its mail', () => mailItems(parts.mail, row.address!, max)) : [],
    trying('its requests', () => requestItems(parts.sql, row.id, max)),
  ]);
  const wanted = new Set<string>(kinds?.split(',').filter(Boolean) ?? TIMELINE_KINDS);
  const items = sources
    .flat()
    .filter((item) => wanted.has(item.kind) && (before === undefined || placeOf(item) < before))
    .sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1));
  const shown = items.slice(0, limit);
  return { items: shown, next: items.length > limit ? placeOf(shown.at(-1)!) : null, troubles };
}

async function remoteRequests(reach: AgentReach, agent: ReachedAgent): Promise<PageTimelineItem[]> {
  const gateway = await reach.gateway(agent);
  const { requests } = (await gateway?.call('requests.list', { limit: MAX_REMOTE }, remoteTimeout())) ?? {
    requests: [],
  };
  return requests.map(ofRequest);
}

/** Sorts by time; items of the same time, by key. */
const placeOf = ({ at_utc, key }: PageTimelineItem): string => `${new Date(at_utc).toISOString()} ${key}`;

export function titleOf({ request_kind, payload }: Pick<RequestView, 'request_kind' | 'payload'>): string {
  const { title } = REQUEST_KINDS[request_kind];
  if (title !== null) return title;
  const prompt = payload['prompt'];
  return typeof prompt === 'string' && prompt.trim() !== '' ? preview(prompt, 160) : request_kind;
}

function ofRequest(request: RequestView): PageTimelineItem {
  const { request_id, outcome, state } = request;
  return {
    key: request_id,
    at_utc: request.accepted_at_utc,
    kind: REQUEST_KINDS[request.request_kind].item,
    title: titleOf(request),
    who: request.source === 'http' ? null : request.source,
    outcome: outcome ?? REQUEST_STATES[state].words,
    trouble: outcome !== null && REQUEST_OUTCOMES[outcome].trouble,
    ref: request_id,
    href: null,
  };
}

/** Keys, direct prompts and reminders do not go through the queue. */
function ofEvent(event: EventLine, index: number): PageTimelineItem[] {
  const { kind, at_utc } = event;
  const base = { key: `event:${at_utc}:${index}`, at_utc, who: null, href: null, ref: `event:${at_utc}` };
  const outcome = typeof event['outcome'] === 'string' ? event['outcome'] : null;
  if (kind === 'control_input')
    return [
      {
        ...base,
        kind: 'keys',
        title: `Keys: ${preview(String(event['sequence_preview'] ?? ''), 80)}`,
        outcome,
        trouble: !isAmong(DONE_DELIVERIES, outcome),
      },
    ];
  if (kind.startsWith('control_prompt_'))
    return [
      {
        ...base,
        kind: 'prompt',
        title: `Direct prompt ${kind.slice('control_prompt_'.length)}`,
        outcome: outcome ?? kind.slice('control_prompt_'.length),
        trouble: kind.endsWith('failed') || kind.endsWith('refused'),
      },
    ];
  if (!kind.startsWith('reminder_') || kind === 'reminder_deferred') return [];
  const what = kind.slice('reminder_'.length).replaceAll('_', ' ');
  return [
    {
      ...base,
      kind: 'reminder',
      title: `Reminder ${what}: ${preview(String(event['title'] ?? event['reminder_id'] ?? ''), 100)}`,
      outcome: outcome ?? what,
      trouble: kind === 'reminder_failed' || kind === 'reminder_missed',
    },
  ];
}

/** A shorter state is not worth showing. */
const PASSING_MS = 250;

/** As its gateways kept them. One of another host, or of an earlier version, is asked for what it remembers. */
async function states(
  { reach, states: seen }: TimelineParts,
  agent: ReachedAgent,
): Promise<PageTimelineItem[]> {
  const { row } = agent;
  const kept = row.here ? keptStates(reach, agent) : [];
  const changes = kept.length > 0 ? kept : await rememberedStates(reach, seen, agent);
  let last = '';
  return changes.flatMap(({ at_utc, state, words }, at): PageTimelineItem[] => {
    const until = changes[at + 1]?.at_utc;
    const passing = until !== undefined && Date.parse(until) - Date.parse(at_utc) < PASSING_MS;
    if (words === last || passing) return [];
    last = words;
    return [
      {
        key: `state:${at_utc}`,
        at_utc,
        kind: 'state',
        title: words,
        who: null,
        outcome: state,
        trouble: state === 'gone',
        ref: null,
        href: agentLink(row.name, { tab: 'screen' }),
      },
    ];
  });
}

function keptStates(reach: AgentReach, agent: ReachedAgent): StateChange[] {
  const wanted = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER, limit: MAX_PER_SOURCE };
  const kept = reach.records(agent, (records) => records.states(wanted)) ?? [];
  return kept.map(({ at_ms, state, words }) => ({ at_utc: utcStamp(new Date(at_ms)), state, words }));
}

async function rememberedStates(
  reach: AgentReach,
  seen: SeenStates,
  agent: ReachedAgent,
): Promise<readonly StateChange[]> {
  const { row } = agent;
  const wanted = row.here ? { max: MAX_PER_SOURCE } : { max: MAX_REMOTE, options: remoteTimeout() };
  const recorded = await seen.of(await reach.gateway(agent), { agentId: row.id, ...wanted });
  return recorded.length === 1 ? recorded.map((only) => sinceBefore(row, only)) : recorded;
}

/** The oldest kept snapshot is not when the state began. */
const sinceBefore = ({ state_words, state_since_utc }: PageAgentRow, only: StateChange): StateChange =>
  only.words === state_words && state_since_utc !== null && state_since_utc < only.at_utc
    ? { ...only, at_utc: state_since_utc }
    : only;

async function mailItems(mail: HostMail, address: string, limit: number): Promise<PageTimelineItem[]> {
  return mail.open(address, async (mailbox) => {
    const boxes = mailbox.capabilities.sent_box ? ['inbox', 'archive', 'sent'] : ['inbox', 'archive'];
    const pages = await Promise.all(boxes.map((box) => mailbox.list({ box, limit })));
    return pages.flatMap(({ messages }) => messages.map((message) => ofMessage(message, address)));
  });
}

/** The name people use: an agent's address begins with its name. */
const shortName = ({ address }: { address: string }): string =>
  address === OPERATOR.address ? 'the operator' : address.replace(/@.*$/, '') || address;

function ofMessage(message: MailMessage, address: string): PageTimelineItem {
  const { message_ref, created_at_utc, subject, sender, to, box } = message;
  const sent = sender.address === address;
  return {
    key: message_ref,
    at_utc: created_at_utc,
    kind: 'mail',
    title: subject,
    who: sent ? `to ${to.map(shortName).join(', ')}` : `from ${shortName(sender)}`,
    outcome: sent
      ? 'sent'
      : message.answered
        ? 'answered'
        : box === 'archive'
          ? 'archived'
          : message.read
            ? 'read'
            : 'unread',
    trouble: false,
    ref: null,
    href: mailLink(address, { ref: message_ref, ...(message.thread_ref && { thread: message.thread_ref }) }),
  };
}

interface TicketRow {
  id: string;
  title: string;
  status: string;
  created_at: Date;
  other: string | null;
  mine: boolean;
}

async function requestItems(sql: Sql, agentId: string, limit: number): Promise<PageTimelineItem[]> {
  const { rows } = await sql.query<TicketRow>(
    `WITH own AS (SELECT id FROM workspaces WHERE agent_id = $1)
     SELECT r.id, r.title, r.status, r.created_at, r.requester_id IN (SELECT id::text FROM own) AS mine,
            CASE WHEN r.requester_id IN (SELECT id::text FROM own) THEN r.recipient_id ELSE r.requester_id END AS other
       FROM requests r
      WHERE r.recipient_workspace_id IN (SELECT id FROM own)
         OR (r.requester_type = 'agent' AND r.requester_id IN (SELECT id::text FROM own))
      ORDER BY r.created_at DESC LIMIT $2`,
    [agentId, limit],
  );
  return rows.map(({ id, title, status, created_at, mine }) => ({
    key: `request:${id}`,
    at_utc: created_at.toISOString(),
    kind: 'request',
    title: `${mine ? 'Asks' : 'Is asked'}: ${title}`,
    who: null,
    outcome: status,
    trouble: false,
    ref: null,
    href: requestLink(id),
  }));
}
