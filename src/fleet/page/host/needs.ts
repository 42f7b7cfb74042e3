import { commandLine, compareText, preview } from '../../../base/index.ts';
import { type AgentNeed, NEED_KINDS, NEEDS, TICKET_KINDS } from '../../../domain/index.ts';
import type { RosterAgent } from '../../../session/index.ts';
import type { PageNeed } from '../../../wire/index.ts';
import { agentLink } from '../../links.ts';
import type { RequestForPeople } from '../../tickets/index.ts';
import type { SeenAgent } from './agent-rows.ts';

/** Deliveries that failed longer ago than this are history. */
const RECENT_MS = 24 * 60 * 60_000;

/** Sorts what a person should act on: most urgent first; within a kind, by priority, then what has waited longest. */
export function byUrgency(needs: Iterable<PageNeed>): PageNeed[] {
  return [...needs].sort(
    (a, b) =>
      NEED_KINDS.indexOf(a.kind) - NEED_KINDS.indexOf(b.kind) ||
      b.priority - a.priority ||
      compareText(a.since_utc ?? '', b.since_utc ?? '') ||
      compareText(a.key, b.key),
  );
}

/** Needs reported by its gateway, or by the lack of one. Failures count only since a person last opened the agent. */
export function needsOfAgent({ agent, seenAt = 0 }: SeenAgent, now: Date): PageNeed[] {
  const after = Math.max(seenAt, now.getTime() - RECENT_MS);
  return agent.needs.flatMap((need) => {
    if (!need.request) return isPassing(need, agent, now) ? [] : standingNeed(need, agent);
    return need.since_utc !== null && Date.parse(need.since_utc) > after ? deliveryNeed(need, agent) : [];
  });
}

/** While a prompt is typed, it is in the composer like a person's draft. */
const PASSING_MS = 2000;

function isPassing({ kind, since_utc }: AgentNeed, { state }: RosterAgent, now: Date): boolean {
  if (!NEEDS[kind].passing || state === 'gone' || since_utc === null) return false;
  return now.getTime() - Date.parse(since_utc) < PASSING_MS;
}

function standingNeed(
  { kind, needs_you, here, says, words, since_utc, command }: AgentNeed,
  agent: RosterAgent,
): PageNeed {
  const { name, id } = agent;
  const { label, tab, command: shown } = NEEDS[kind];
  const named = shown === 'named';
  return {
    key: `${kind}:${id}:${words}`,
    kind,
    agent: name,
    why: sentence(
      needs_you === null ? `${name}: ${words}` : `${name} ${says ?? `needs you: ${here ?? needs_you}`}`,
    ),
    since_utc,
    request_id: null,
    priority: 0,
    action: {
      label,
      href: agentLink(name, { tab: tab ?? 'screen' }),
      command: (named ? command : undefined) ?? commandLine`rouse open ${name}`,
    },
  };
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function deliveryNeed({ kind, words, since_utc, request, command }: AgentNeed, agent: RosterAgent): PageNeed {
  const { name, id } = agent;
  const { request_id, detail } = request!;
  return {
    key: `${kind}:${id}:${request_id}`,
    kind,
    agent: name,
    why:
      kind === 'uncertain'
        ? `“${words}” was typed into ${name}, and nothing proves that the tool took it.`
        : sentence(`“${words}” was not delivered to ${name}: ${detail}`),
    since_utc,
    request_id: null,
    priority: 0,
    action: {
      label: NEEDS[kind].label,
      href: agentLink(name, { tab: 'queue', ledger: request_id }),
      command: command ?? null,
    },
  };
}

export function requestNeed({
  id,
  need,
  agent,
  requester,
  recipient,
  ...request
}: RequestForPeople): PageNeed {
  const title = preview(request.title, 100);
  return {
    key: `${need}:${id}`,
    kind: need,
    agent,
    why:
      need === 'request'
        ? `${requester ?? 'Someone'} asks you ${TICKET_KINDS[request.kind].asks}: “${title}”.`
        : `${recipient ?? 'An agent'} has not answered ${requester ?? 'someone'} after the last reminder: “${title}”.`,
    since_utc: request.since.toISOString(),
    request_id: id,
    priority: request.priority,
    action: { label: NEEDS[need].label, href: request.href, command: request.command },
  };
}
