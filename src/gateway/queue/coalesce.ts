import { CONTEXT_RANK, promptOf, type RequestRow } from './request.ts';

/** How a run of control intents at the head of the queue is merged. */
export interface CoalescePlan {
  /** In the order in which they run. */
  keep: string[];
  drop: Joined[];
  effectiveActions: string[];
}

/** A request that adds nothing to `into`. It stays queued until that one has ended, and ends with it. */
export interface Joined {
  requestId: string;
  into: string;
  action: string;
}

function action(row: RequestRow): string | undefined {
  if (row.request_kind === 'interrupt') return 'interrupt';
  if (row.request_kind !== 'submit_prompt') return undefined;
  const text = promptOf(row);
  return CONTEXT_RANK.has(text) ? text : undefined;
}

export function isControlIntent(row: RequestRow): boolean {
  return action(row) !== undefined;
}

/**
 * A leading run of adjacent interrupts and context commands of one epoch has one meaning: the first interrupt is kept
 * and goes first, the strongest context command is kept (the later of equals), and the rest are coalesced into it. An
 * ordinary prompt, an internal one or another epoch ends the run.
 */
export function planCoalescing(queued: readonly RequestRow[]): CoalescePlan | undefined {
  const run: { row: RequestRow; action: string }[] = [];
  for (const row of queued) {
    const named = action(row);
    const sameEpoch = row.managed_agent_instance_epoch === queued[0]?.managed_agent_instance_epoch;
    if (!named || !sameEpoch) break;
    run.push({ row, action: named });
  }
  if (run.length < 2) return undefined;
  const interrupt = run.find((entry) => entry.action === 'interrupt');
  const context = run
    .filter((entry) => entry.action !== 'interrupt')
    .reduce<(typeof run)[number] | undefined>(
      (best, entry) =>
        best && CONTEXT_RANK.get(best.action)! > CONTEXT_RANK.get(entry.action)! ? best : entry,
      undefined,
    );
  const kept = [interrupt, context].filter((entry) => entry !== undefined);
  const dropped = run.filter((entry) => !kept.includes(entry));
  if (dropped.length === 0) return undefined;
  const target = (entry: (typeof run)[number]): string =>
    (entry.action === 'interrupt' ? interrupt : context)!.row.request_id;
  return {
    keep: kept.map((entry) => entry.row.request_id),
    drop: dropped.map((entry) => ({
      requestId: entry.row.request_id,
      into: target(entry),
      action: entry.action,
    })),
    effectiveActions: kept.map((entry) => entry.action),
  };
}

/**
 * Interrupts go before everything else in the queue, so all waiting interrupts are neighbours whatever is between them:
 * one press of the keys satisfies all.
 */
export function joinInterrupts(
  pressed: RequestRow,
  waiting: readonly RequestRow[],
  effectiveActions: string[],
): CoalescePlan {
  const into = pressed.request_id;
  const epoch = pressed.managed_agent_instance_epoch;
  return {
    keep: [into],
    drop: waiting
      .filter((row) => row.request_id !== into && row.managed_agent_instance_epoch === epoch)
      .map(({ request_id }) => ({ requestId: request_id, into, action: 'interrupt' })),
    effectiveActions,
  };
}
