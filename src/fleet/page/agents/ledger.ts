import { commandLine, isRouseError, notFound } from '../../../base/index.ts';
import {
  bareReason,
  DONE_DELIVERIES,
  isAmong,
  REQUEST_KINDS,
  REQUEST_OUTCOMES,
} from '../../../domain/index.ts';
import type { PageLedger, RequestView } from '../../../wire/index.ts';
import type { AgentEvents, EventLine } from './agent-events.ts';
import type { AgentReach, ReachedAgent } from './agent-reach.ts';
import { titleOf } from './timeline.ts';

const MAX_TEXT_LENGTH = 20_000;
const DECISIONS = 500;

/** Returns the evidence for one item of the timeline. */
export async function ledgerOf(
  on: { reach: AgentReach; events: AgentEvents },
  agent: ReachedAgent,
  ref: string,
): Promise<PageLedger> {
  const { reach } = on;
  if (ref.startsWith('event:')) {
    const { events } = reach.requireHere(agent);
    return eventLedger(on.events.of(events), agent.row.name, ref);
  }
  const gateway = await reach.gateway(agent).catch(() => undefined);
  const live = await gateway?.getRequest(ref).catch(missing);
  const { here } = agent.row;
  const request =
    live ?? (here ? reach.records(agent, (records) => tried(() => records.request(ref))) : undefined);
  if (!request) throw notFound(`${agent.row.name} has no request ${ref}, or it is too old to be kept`);
  const decisions = here
    ? reach.records(agent, (records) => records.decisions(DECISIONS))
    : (await gateway?.call('notifier.decisions', { limit: DECISIONS }).catch(missing))?.decisions;
  const decision = decisions?.find(({ enqueued_request_id }) => enqueued_request_id === ref);
  return {
    ref,
    kind: REQUEST_KINDS[request.request_kind].item,
    title: titleOf(request),
    text: textOf(request),
    state: request.state,
    outcome: request.outcome,
    trouble: request.outcome !== null && REQUEST_OUTCOMES[request.outcome].trouble,
    waiting_reason: request.waiting_reason && bareReason(request.waiting_reason),
    error_detail: request.error_detail,
    source: request.source,
    accepted_at_utc: request.accepted_at_utc,
    finished_at_utc: request.finished_at_utc,
    stages: request.ledger ?? [],
    decision: decision
      ? {
          at_utc: decision.poll_time_utc,
          outcome: decision.outcome,
          detail: decision.detail,
          chain: decision.chain,
          facts: decision.facts,
        }
      : null,
    command: commandLine`rouse why ${agent.row.name} --request ${ref}`,
  };
}

function textOf({ payload }: RequestView): string | null {
  const prompt = payload['prompt'];
  return typeof prompt === 'string' ? prompt.slice(0, MAX_TEXT_LENGTH) : null;
}

function missing(error: unknown): undefined {
  if (!isRouseError(error)) throw error;
}

function tried<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    return missing(error);
  }
}

function eventLedger(events: readonly EventLine[], name: string, ref: string): PageLedger {
  const at = ref.slice('event:'.length);
  const found = events.find(({ at_utc }) => at_utc === at);
  if (!found) throw notFound(`${name} has no event of ${at}, or it is too old to be kept`);
  const { kind, at_utc, ...facts } = found;
  const outcome = typeof facts['outcome'] === 'string' ? facts['outcome'] : null;
  const isKeys = kind === 'control_input';
  return {
    ref,
    kind: isKeys ? 'keys' : kind.startsWith('reminder_') ? 'reminder' : 'prompt',
    title: kind.replaceAll('_', ' '),
    text: isKeys ? String(facts['sequence_preview'] ?? '') : null,
    state: 'recorded',
    outcome,
    trouble: outcome !== null && !isAmong(DONE_DELIVERIES, outcome),
    waiting_reason: null,
    error_detail: typeof facts['error_detail'] === 'string' ? facts['error_detail'] : null,
    source: 'events',
    accepted_at_utc: at_utc,
    finished_at_utc: at_utc,
    stages: [{ stage: 'finished', source: kind, at_utc, facts }],
    decision: null,
    command: commandLine`rouse logs ${name}`,
  };
}
