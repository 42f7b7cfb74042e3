import { type Clock, messageOf } from '../../base/index.ts';
import {
  type AdmissionPolicy,
  type CodeWith,
  DELIVERY_OUTCOMES,
  type RequestOutcome,
  reasonTexts,
  type Why,
  whyText,
} from '../../domain/index.ts';
import type { AgentSurface, DeliveryResult, PromptDelivery, Recheck } from '../../terminal/index.ts';
import type { InterruptPayload } from '../../wire/index.ts';
import {
  type CoalescePlan,
  isAutomatic,
  payloadOf,
  promptOf,
  type RequestQueue,
  type RequestRow,
} from '../queue/index.ts';
import { requeue } from './requeue.ts';
import { untilStored } from './until-stored.ts';

export interface RunDependencies {
  queue: RequestQueue;
  surface: AgentSurface;
  clock: Clock;
  /** Checks just before typing whether there is still a reason for an internal prompt. */
  recheck?: ((row: RequestRow) => Promise<Recheck>) | undefined;
  /** Aborted when the gateway stops. Until then a tool that does not react is waited for. */
  stopping?: AbortSignal | undefined;
}

/**
 * `returned`: nothing of it is in the tool and it is queued again. `not_ready`: the same for a direct prompt, which has
 * no place in the queue and is refused. `left`: the next gateway continues it.
 */
export type RunEnd = RequestOutcome | CodeWith<typeof DELIVERY_OUTCOMES, 'later'>;

export interface RunResult {
  ending: RunEnd;
  /** As the surface reported them. */
  reasons: Why[];
}

/**
 * Runs one claimed request, and those joined to it, to its end. Stores every stage before the next. For an interrupt,
 * `joined` is called once more just before the keys are pressed, to include those that arrived by then.
 */
export async function runRequest(
  row: RequestRow,
  policy: AdmissionPolicy,
  dependencies: RunDependencies,
  joined: () => CoalescePlan | undefined = () => undefined,
  resume = false,
): Promise<RunResult> {
  const { queue, surface } = dependencies;
  let plan = joined();
  const beforePress = (): Recheck => {
    plan = joined();
    return mayInterrupt(row, queue);
  };
  let result: DeliveryResult;
  try {
    result =
      row.request_kind === 'interrupt'
        ? await interrupt(row, surface, beforePress)
        : await surface.deliver({ ...promptDelivery(row, policy, dependencies), resume });
  } catch (error) {
    const begun = queue.ledger(row.request_id);
    const typed =
      begun.findLast(({ stage }) => stage === 'running' || stage === 'typing')?.stage === 'typing';
    // Without proof that nothing was typed, do not claim it.
    const outcome = typed || row.request_kind === 'interrupt' ? 'unconfirmed' : 'failed';
    result = { outcome, reasons: [messageOf(error)], evidence: [], untouched: false };
  }
  const { reasons, evidence } = result;
  const detail = whyText(reasons, '; ');
  if (result.outcome === 'not_ready' && result.untouched) {
    const why = detail ?? 'not ready';
    if (row.source !== 'direct') {
      await untilStored(() => queue.giveBack(row.request_id, why), dependencies);
      return { ending: 'returned', reasons };
    }
    await untilStored(() => queue.finish(row.request_id, { outcome: 'refused', detail: why }), dependencies);
    return { ending: 'not_ready', reasons };
  }
  // The row stays unchanged for the next holder of the lane.
  if (result.outcome === 'left') return { ending: 'left', reasons };
  if (result.outcome === 'returned') {
    const why = detail ?? 'it was taken back';
    const again = () =>
      result.held
        ? queue.giveBack(row.request_id, why, { evidence })
        : requeue(queue.get(row.request_id), queue, { why, evidence });
    await untilStored(again, dependencies);
    return { ending: 'returned', reasons };
  }
  const outcome: RequestOutcome = DELIVERY_OUTCOMES[result.outcome].ends;
  const ending = { outcome, detail, result: { outcome, reasons: reasonTexts(reasons), evidence } };
  // Joined requests wanted keys and none were pressed, so each takes its own turn.
  if (outcome === 'superseded') plan = undefined;
  await untilStored(() => queue.finishJoined(row.request_id, ending, plan), dependencies);
  return { ending: outcome, reasons };
}

/** A surface without keys presses nothing and never calls back, so the check is made here. */
async function interrupt(
  row: RequestRow,
  surface: AgentSurface,
  beforePress: () => Recheck,
): Promise<DeliveryResult> {
  const may = beforePress();
  if (!may.go) return { outcome: 'superseded', reasons: [may.reason], evidence: [], untouched: true };
  return surface.interrupt(row.request_id, beforePress);
}

function promptDelivery(
  row: RequestRow,
  policy: AdmissionPolicy,
  dependencies: RunDependencies,
): PromptDelivery {
  const { queue, recheck, stopping } = dependencies;
  const payload = payloadOf(row) as Pick<PromptDelivery, 'chatSession' | 'execution'> & {
    turn_id?: string;
    chat_session?: PromptDelivery['chatSession'];
  };
  return {
    requestId: row.request_id,
    text: promptOf(row),
    policy,
    ...(isAutomatic(row) && { automatic: true }),
    ...(recheck && { recheck: () => recheck(row) }),
    ...(payload.chat_session && { chatSession: payload.chat_session }),
    ...(payload.execution && { execution: payload.execution }),
    ...(payload.turn_id && { turnId: payload.turn_id }),
    owner: { source: 'queue', id: row.request_id },
    // The caller of a direct prompt waits for its result.
    ...(row.source === 'direct' ? { direct: true } : stopping && { patient: stopping }),
    record: (stage, evidence) =>
      untilStored(() => queue.record(row.request_id, stage, evidence.source, evidence.facts), dependencies),
  };
}

/** An interrupt may be meant for the turn of one request only; it must not end the turn of another. */
export function mayInterrupt(row: RequestRow, queue: RequestQueue): Recheck {
  const { turn_of: wanted } = payloadOf(row) as InterruptPayload;
  if (wanted == null) return { go: true };
  const runs =
    queue.running().some(({ request_id }) => request_id === wanted) || queue.leftTurn()?.requestId === wanted;
  return runs ? { go: true } : { go: false, reason: `the turn of request ${wanted} is not running` };
}
