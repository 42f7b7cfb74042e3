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
import {
  type CoalescePlan,
  payloadOf,
  promptOf,
  type RequestQueue,
  type RequestRow,
} from '../queue/index.ts';
import { backInLine } from './back-in-line.ts';
import { mayInterrupt } from './may-interrupt.ts';
import { written } from './written.ts';

export interface RunDependencies {
  queue: RequestQueue;
  surface: AgentSurface;
  clock: Clock;
  /** Whether the reason for an internal prompt is still there when it is about to be typed. */
  recheck?: ((row: RequestRow) => Promise<Recheck>) | undefined;
  /** Aborted when the gateway stops: until then a tool that does not answer is waited for. */
  stopping?: AbortSignal | undefined;
}

/**
 * `returned`: nothing of it is with the tool and it waits in line again. `not_ready`: the same of a direct prompt, which has
 * no place in line and is refused. `left`: the next gateway goes on with it.
 */
export type RunEnd = RequestOutcome | CodeWith<typeof DELIVERY_OUTCOMES, 'later'>;

export interface Ran {
  ending: RunEnd;
  /** As the surface gave them. */
  reasons: Why[];
}

/**
 * Carries one claimed request, and what is joined to it, to its end; writes every stage before the next. For an
 * interrupt `joined` is asked once more when its keys are about to be pressed: what came until then is one with it.
 */
export async function runRequest(
  row: RequestRow,
  policy: AdmissionPolicy,
  dependencies: RunDependencies,
  joined: () => CoalescePlan | undefined = () => undefined,
  resume = false,
): Promise<Ran> {
  const { queue, surface } = dependencies;
  let plan = joined();
  const pressing = (): Recheck => {
    plan = joined();
    return mayInterrupt(row, queue);
  };
  let result: DeliveryResult;
  try {
    result =
      row.request_kind === 'interrupt'
        ? await interrupt(row, surface, pressing)
        : await surface.deliver({ ...promptDelivery(row, policy, dependencies), resume });
  } catch (error) {
    const begun = queue.ledger(row.request_id);
    const typed =
      begun.findLast(({ stage }) => stage === 'running' || stage === 'typing')?.stage === 'typing';
    // Without proof that nothing went in, nobody says so.
    const outcome = typed || row.request_kind === 'interrupt' ? 'unconfirmed' : 'failed';
    result = { outcome, reasons: [messageOf(error)], evidence: [], untouched: false };
  }
  const { reasons, evidence } = result;
  const detail = whyText(reasons, '; ');
  if (result.outcome === 'not_ready' && result.untouched) {
    const why = detail ?? 'not ready';
    if (row.source !== 'direct') {
      await written(() => queue.giveBack(row.request_id, why), dependencies);
      return { ending: 'returned', reasons };
    }
    await written(() => queue.finish(row.request_id, { outcome: 'refused', detail: why }), dependencies);
    return { ending: 'not_ready', reasons };
  }
  // Its row stays as it is, for whoever takes the lane next.
  if (result.outcome === 'left') return { ending: 'left', reasons };
  if (result.outcome === 'returned') {
    const why = detail ?? 'it was taken back';
    await written(() => backInLine(queue.get(row.request_id), queue, { why, evidence }), dependencies);
    return { ending: 'returned', reasons };
  }
  const outcome: RequestOutcome = DELIVERY_OUTCOMES[result.outcome].ends;
  const ending = { outcome, detail, result: { outcome, reasons: reasonTexts(reasons), evidence } };
  // What was joined to it asked for keys, and none were pressed: it takes its own turn.
  if (outcome === 'superseded') plan = undefined;
  await written(() => queue.finishJoined(row.request_id, ending, plan), dependencies);
  return { ending: outcome, reasons };
}

/** A surface without keys presses nothing and asks nobody: it is asked for it here. */
async function interrupt(
  row: RequestRow,
  surface: AgentSurface,
  pressing: () => Recheck,
): Promise<DeliveryResult> {
  const may = pressing();
  if (!may.go) return { outcome: 'superseded', reasons: [may.reason], evidence: [], untouched: true };
  return surface.interrupt(row.request_id, pressing);
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
    ...(recheck && { recheck: () => recheck(row) }),
    ...(payload.chat_session && { chatSession: payload.chat_session }),
    ...(payload.execution && { execution: payload.execution }),
    ...(payload.turn_id && { turnId: payload.turn_id }),
    owner: { source: 'queue', id: row.request_id },
    // Whoever asked for a direct prompt waits for its answer.
    ...(row.source === 'direct' ? { direct: true } : stopping && { patient: stopping }),
    record: (stage, evidence) =>
      written(() => queue.record(row.request_id, stage, evidence.source, evidence.facts), dependencies),
  };
}
