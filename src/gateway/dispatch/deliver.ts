import { messageOf } from '../../base/index.ts';
import type { AdmissionPolicy } from '../../domain/index.ts';
import type { AgentSurface, DeliveryResult, PromptDelivery, Recheck } from '../../terminal/index.ts';
import {
  type CoalescePlan,
  type Outcome,
  payloadOf,
  promptOf,
  type RequestQueue,
  type RequestRow,
} from '../queue/index.ts';

export interface DeliverDependencies {
  queue: RequestQueue;
  surface: AgentSurface;
  /** Whether the reason for an internal prompt is still there when it is about to be typed. */
  recheck?: ((row: RequestRow) => Promise<Recheck>) | undefined;
}

/** `returned`: nothing was typed and it waits in line again. */
export type Ending = Outcome | 'returned';

/**
 * Carries one claimed request, and what is joined to it, to its end; writes every stage before the next. For an
 * interrupt `joined` is asked once more when its keys are about to be pressed: what came until then is one with it.
 */
export async function deliverRequest(
  row: RequestRow,
  policy: AdmissionPolicy,
  dependencies: DeliverDependencies,
  joined: () => CoalescePlan | undefined = () => undefined,
): Promise<Ending> {
  const { queue, surface } = dependencies;
  let plan = joined();
  const pressing = (): void => {
    plan = joined();
  };
  let result: DeliveryResult;
  try {
    result =
      row.request_kind === 'interrupt'
        ? await surface.interrupt(row.request_id, pressing)
        : await surface.deliver(promptDelivery(row, policy, dependencies));
  } catch (error) {
    result = { outcome: 'failed', reasons: [messageOf(error)], evidence: [], untouched: false };
  }
  const detail = result.reasons.join('; ') || undefined;
  if (result.outcome === 'not_ready' && result.untouched) {
    await queue.giveBack(row.request_id, detail ?? 'not ready');
    return 'returned';
  }
  const outcome: Outcome = result.outcome === 'not_ready' ? 'failed' : result.outcome;
  const { reasons, evidence } = result;
  await queue.finishJoined(row.request_id, { outcome, detail, result: { outcome, reasons, evidence } }, plan);
  return outcome;
}

function promptDelivery(
  row: RequestRow,
  policy: AdmissionPolicy,
  { queue, recheck }: DeliverDependencies,
): PromptDelivery {
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
    ...(row.source === 'direct' && { direct: true }),
    record: (stage, evidence) => queue.record(row.request_id, stage, evidence.source, evidence.facts),
  };
}
