import { preview } from '../../../base/index.ts';
import {
  AGENT_STATES,
  type AgentState,
  bareReason,
  requestTitle,
  WORKSPACE_STATUSES,
} from '../../../domain/index.ts';
import type { GatewayActivity } from '../../../gateway/offline.ts';
import type { RosterAgent, RosterPlace } from '../../../session/index.ts';
import type { PageAgentRow } from '../../../wire/index.ts';
import { lastHour } from './agent-activity.ts';
import type { FleetAgent } from './fleet-facts.ts';

export interface SeenAgent {
  agent: RosterAgent;
  place: RosterPlace;
  activity: GatewayActivity;
  fleet: FleetAgent | undefined;
  /** When a person last opened it on a page. */
  seenAt: number | undefined;
}

/** An agent of this host. */
export function localRow({ agent, place, activity, fleet, seenAt = 0 }: SeenAgent, now: Date): PageAgentRow {
  const { state, reason, needs_you, needs, since, wakes, waiting_for } = agent;
  const address = place.mailbox?.['address'];
  const working = state === 'working';
  const ended = activity.lastTurnEndedAtUtc;
  return {
    name: agent.name,
    id: agent.id,
    host: agent.host,
    here: true,
    tool: agent.tool,
    project: agent.called === agent.name ? null : (agent.project?.name ?? null),
    address: typeof address === 'string' ? address : null,
    state,
    state_words: reason,
    state_since_utc: since,
    reason: waiting_for === null ? '' : bareReason(waiting_for),
    needs_you: needs_you && (needs[0]?.here ?? needs_you),
    doing_now: working ? doingNow(activity, fleet) : null,
    unread: agent.open_mail,
    owes: fleet?.owes ?? 0,
    owed: fleet?.owed ?? 0,
    queue_depth: agent.queue_depth ?? 0,
    last_wake_utc: wakes?.last_at_utc ?? activity.wakes.at(-1) ?? null,
    wakes: wakes?.count ?? null,
    paused: agent.paused && { until_utc: agent.paused.until_utc },
    done_unseen: !working && ended !== null && Date.parse(ended) > seenAt,
    gateway: { mode: agent.gateway, alive: agent.gateway === 'live' },
    last_hour: lastHour(activity, now),
  };
}

function doingNow({ doing }: GatewayActivity, fleet: FleetAgent | undefined): string | null {
  if (doing) return requestTitle(doing);
  return fleet?.currentTask ? preview(fleet.currentTask, 120) : null;
}

const EMPTY_HOUR: GatewayActivity = {
  wakes: [],
  turns: [],
  lastTurnEndedAtUtc: null,
  doing: null,
};

/** Shown instead of the name of a host that the registry does not know. */
export const ELSEWHERE = 'another host';

/** An agent on another host, as the registry knows it. */
export function remoteRow(agent: FleetAgent, now: Date): PageAgentRow {
  const words =
    agent.status === 'online'
      ? agent.activeTasks > 0
        ? 'online, working'
        : 'online'
      : agent.status.replaceAll('_', ' ');
  return {
    name: agent.name,
    id: agent.agentId,
    host: agent.host ?? ELSEWHERE,
    here: false,
    tool: agent.tool ?? 'agent',
    project: null,
    address: null,
    state: 'elsewhere',
    state_words: words,
    state_since_utc: agent.statusSince.toISOString(),
    reason: '',
    needs_you: null,
    doing_now: agent.currentTask ? preview(agent.currentTask, 120) : null,
    unread: null,
    owes: agent.owes,
    owed: agent.owed,
    queue_depth: agent.queueDepth,
    last_wake_utc: null,
    wakes: null,
    paused: agent.pausedUntil === undefined ? null : { until_utc: agent.pausedUntil },
    done_unseen: false,
    gateway: { mode: 'elsewhere', alive: WORKSPACE_STATUSES[agent.status].answers },
    last_hour: lastHour(EMPTY_HOUR, now),
  };
}

const ORDER = Object.keys(AGENT_STATES) as AgentState[];

export function inOrder(a: PageAgentRow, b: PageAgentRow): number {
  return (
    ORDER.indexOf(a.state) - ORDER.indexOf(b.state) ||
    a.name.localeCompare(b.name) ||
    a.id.localeCompare(b.id)
  );
}
