import { isRouseError, type Log } from '../../../base/index.ts';
import { bareReason, REQUEST_STATES } from '../../../domain/index.ts';
import { countAsHeld, type Handlers } from '../../../http/index.ts';
import type { PAGE_ROUTES, PageQueue, PageReminders, Reminder, RequestView } from '../../../wire/index.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { HostView } from '../host/host-view.ts';
import { agentFacts } from './agent-facts.ts';
import type { AgentReach, ReachedAgent } from './agent-reach.ts';
import { ledgerOf } from './ledger.ts';
import { followScreen, type ScreenParts, screenOf } from './screens.ts';
import { type TimelineParts, timelineOf, titleOf } from './timeline.ts';

type ReadRoutes = Pick<
  typeof PAGE_ROUTES,
  | 'page.agent'
  | 'page.agent.timeline'
  | 'page.agent.ledger'
  | 'page.agent.screen'
  | 'page.agent.queue'
  | 'page.agent.reminders'
  | 'page.reminders'
>;

const QUEUE_SHOWN = 50;

export interface AgentHandlerParts extends TimelineParts, ScreenParts {
  door: PageDoor;
  view: HostView;
  log: Log;
}

/** Read routes of one agent. */
export function agentHandlers(on: AgentHandlerParts): Handlers<ReadRoutes> {
  const { door, reach } = on;
  return {
    'page.agent': async ({ context, params, query }) => {
      door.require(context);
      const wantsQueue = query().queue === 'true';
      const agent = await reach.find(params.name);
      // A gateway that does not respond leaves the rest as it is.
      const queue = wantsQueue ? queueOf(reach, agent, { limit: QUEUE_SHOWN }).catch(() => null) : null;
      return { ...(await agentFacts(reach, agent)), queue: await queue };
    },
    'page.agent.timeline': async ({ context, params, query }) => {
      door.require(context);
      return timelineOf(on, await reach.find(params.name), query());
    },
    'page.agent.ledger': async ({ context, params }) => {
      door.require(context);
      return ledgerOf(on, await reach.find(params.name), params.ref);
    },
    'page.agent.screen': async ({ context, params, query }) => {
      const visit = door.require(context);
      if (context.req.header('accept')?.includes('text/event-stream'))
        return followScreen(on, context, visit, params.name);
      const wanted = query();
      if (wanted.wait_seconds > 0) countAsHeld(context);
      return door.whileOpen(visit, screenOf(on, await reach.find(params.name), wanted));
    },
    'page.agent.queue': async ({ context, params, query }) => {
      door.require(context);
      return queueOf(reach, await reach.find(params.name), query());
    },
    'page.agent.reminders': async ({ context, params }) => {
      door.require(context);
      const set = await (await reach.requireGateway(await reach.find(params.name))).reminders();
      return { ...set, reminders: set.reminders.map(inWords) };
    },
    'page.reminders': async ({ context }) => {
      door.require(context);
      const rows = (await on.view.agents()).filter(({ here, gateway }) => here && gateway.alive);
      return { agents: await Promise.all(rows.map(({ id }) => remindersOf(reach, id))) };
    },
  };
}

const inWords = (reminder: Reminder): Reminder => ({
  ...reminder,
  waiting_reason: reminder.waiting_reason && bareReason(reminder.waiting_reason),
});

async function remindersOf(reach: AgentReach, id: string): Promise<PageReminders['agents'][number]> {
  const agent = await reach.find(id);
  const { name } = agent.row;
  try {
    const { effective_reminder_id, reminders } = await (await reach.requireGateway(agent)).reminders();
    return { agent: name, effective_reminder_id, reminders: reminders.map(inWords), trouble: null };
  } catch (error) {
    if (!isRouseError(error)) throw error;
    return { agent: name, effective_reminder_id: null, reminders: [], trouble: error.message };
  }
}

async function queueOf(
  reach: AgentReach,
  agent: ReachedAgent,
  { before, limit }: { before?: number | undefined; limit: number },
): Promise<PageQueue> {
  const gateway = await reach.gateway(agent);
  const found = gateway
    ? (await gateway.call('requests.list', { limit, before })).requests
    : (reach.records(agent, (records) => records.requests(limit, before)) ?? []);
  const counts: Record<string, number> = {};
  for (const { state, outcome } of found) {
    const key = outcome ?? REQUEST_STATES[state].words;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const waiting = found.filter(({ outcome }) => outcome === null);
  const ended = found.filter(({ outcome }) => outcome !== null);
  return {
    queue_depth: waiting.length,
    counts,
    items: [...waiting.toReversed(), ...ended].map(itemOf),
    next: found.length === limit ? found.at(-1)!.sequence : null,
  };
}

function itemOf(request: RequestView): PageQueue['items'][number] {
  return {
    request_id: request.request_id,
    ref: request.request_id,
    kind: request.request_kind,
    title: titleOf(request),
    state: request.state,
    outcome: request.outcome,
    source: request.source,
    accepted_at_utc: request.accepted_at_utc,
    started_at_utc: request.started_at_utc,
    finished_at_utc: request.finished_at_utc,
    waiting_reason: request.waiting_reason && bareReason(request.waiting_reason),
    error_detail: request.error_detail,
    cancellable: request.state === 'accepted',
  };
}
