import { compareText, preview } from '../../../base/index.ts';
import { matterOf } from '../../../domain/index.ts';
import type { NeedKind, PageNeed } from '../../../wire/index.ts';
import { agentLink, requestLink } from '../links.ts';
import { requestTitle } from './agent-activity.ts';
import { answeredHere, type SeenAgent } from './agent-rows.ts';
import type { OpenRequest } from './fleet-facts.ts';

/** Deliveries that ended badly longer ago than this are history. */
const RECENT_MS = 24 * 60 * 60_000;

const URGENCY: readonly NeedKind[] = [
  'dialog',
  'trust',
  'uncertain',
  'failed',
  'request',
  'gateway_dead',
  'logged_out',
  'overdue',
  'mail_loop',
  'undecided',
  'usage_limit',
  'update',
  'other',
];

/** Everything a person should do something about, the most urgent first; within a kind, what has waited longest. */
export function byUrgency(needs: Iterable<PageNeed>): PageNeed[] {
  return [...needs].sort(
    (a, b) =>
      URGENCY.indexOf(a.kind) - URGENCY.indexOf(b.kind) ||
      compareText(a.since_utc ?? '', b.since_utc ?? '') ||
      compareText(a.key, b.key),
  );
}

export const needsOfAgent = (seen: SeenAgent, now: Date): PageNeed[] => [
  ...standingNeed(seen, now),
  ...gatewayNeed(seen),
  ...deliveryNeeds(seen, now),
];

const placeOf = (name: string, tab: string): string => agentLink(name, { tab });

/** While a prompt is typed, it stands in the composer like somebody's draft. */
const PASSING_MS = 2000;

function standingNeed({ agent }: SeenAgent, now: Date): PageNeed[] {
  const { name, id, reason, needs_you, since, state } = agent;
  const matter = matterOf({ words: reason, needs_you });
  if (matter === null) return [];
  if (matter === 'other' && since !== null && now.getTime() - Date.parse(since) < PASSING_MS) return [];
  const kind: NeedKind = matter === 'gone' ? 'other' : matter;
  const gone = state === 'gone';
  const limited = kind === 'usage_limit' && needs_you === null;
  return [
    {
      key: `${kind}:${id}:${reason}`,
      kind,
      agent: name,
      why: sentence(limited ? `${name}: ${reason}` : `${name} ${needsWords(needs_you ?? reason)}`),
      since_utc: since,
      action: {
        label: LABELS[kind] ?? 'Look',
        href: placeOf(name, kind === 'mail_loop' ? 'mail' : kind === 'undecided' ? 'queue' : 'screen'),
        command: gone ? `rouse agents relaunch ${name}` : `rouse open ${name}`,
      },
    },
  ];
}

const LABELS: Partial<Record<NeedKind, string>> = {
  dialog: 'Answer',
  trust: 'Answer',
  update: 'Answer',
  logged_out: 'Log in',
  usage_limit: 'Look',
  mail_loop: 'Read the thread',
  undecided: 'Decide',
};

/** "it asks for permission; answer in its window" stands behind a name. */
function needsWords(words: string): string {
  const here = answeredHere(words);
  return here.startsWith('it asks ') ? here.slice('it '.length) : `needs you: ${here}`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

function gatewayNeed({ agent }: SeenAgent): PageNeed[] {
  if (agent.gateway !== 'down') return [];
  const { name, id } = agent;
  return [
    {
      key: `gateway_dead:${id}`,
      kind: 'gateway_dead',
      agent: name,
      why: `The gateway of ${name} ended too often and stays down: nothing wakes it, and nothing can be typed.`,
      since_utc: agent.since,
      action: {
        label: 'See why',
        href: placeOf(name, 'facts'),
        command: `rouse agents gateway attach ${name}`,
      },
    },
  ];
}

/** What ended badly since somebody last looked at the agent. */
function deliveryNeeds({ agent, activity, seenAt = 0 }: SeenAgent, now: Date): PageNeed[] {
  const after = Math.max(seenAt, now.getTime() - RECENT_MS);
  return activity.troubles
    .filter(({ finished_at_utc: at }) => at !== null && Date.parse(at) > after)
    .slice(0, 3)
    .map((row) => {
      const uncertain = row.outcome === 'unconfirmed';
      const what = preview(requestTitle(row), 60);
      return {
        key: `${uncertain ? 'uncertain' : 'failed'}:${agent.id}:${row.request_id}`,
        kind: uncertain ? ('uncertain' as const) : ('failed' as const),
        agent: agent.name,
        why: uncertain
          ? `“${what}” was typed into ${agent.name}, and nothing proves that the tool took it.`
          : sentence(
              `“${what}” was not delivered to ${agent.name}: ${preview(row.error_detail ?? 'it failed', 160)}`,
            ),
        since_utc: row.finished_at_utc,
        action: {
          label: uncertain ? 'See the evidence' : 'See why',
          href: agentLink(agent.name, { tab: 'queue', ledger: row.request_id }),
          command: `rouse why ${agent.name} --request ${row.request_id}`,
        },
      };
    });
}

export function requestNeed(request: OpenRequest): PageNeed {
  const title = preview(request.title, 100);
  const { requester, recipient } = request;
  const kind = request.toPeople ? ('request' as const) : ('overdue' as const);
  return {
    key: `${kind}:${request.id}`,
    kind,
    agent: request.toPeople ? requester : recipient,
    why: request.toPeople
      ? `${requester ?? 'Somebody'} asks you: “${title}”.`
      : `${recipient ?? 'An agent'} has not answered ${requester ?? 'somebody'}, and was reminded as often as is allowed: “${title}”.`,
    since_utc: (request.escalatedAt ?? request.createdAt).toISOString(),
    action: {
      label: request.toPeople ? 'Answer' : 'See the request',
      href: requestLink(request.id),
      command: `rouse requests show ${request.id}`,
    },
  };
}
