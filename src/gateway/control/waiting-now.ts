import { reasonText } from '../../domain/index.ts';
import type { Observation } from '../../terminal/index.ts';
import { whyNotNow } from '../dispatch/index.ts';
import { isAutomatic, type RequestQueue, type RequestRow } from '../queue/index.ts';
import type { ControlDependencies } from './dependencies.ts';

/**
 * Adds to queued rows the reason why they wait now. On disk only the next one has a reason, from the dispatcher's last
 * look. The cost does not grow with the queue.
 */
export function waitingNow(deps: ControlDependencies): (row: RequestRow) => RequestRow {
  let reasonOf: ((row: RequestRow) => string | null) | undefined;
  return (row) => {
    if (row.state === 'running') return { ...row, waiting_reason: unanswered(deps, row) };
    if (row.state !== 'accepted') return row;
    reasonOf ??= reasons(deps);
    return { ...row, waiting_reason: reasonOf(row) };
  };
}

/** For the request that is being typed: the tool does not react. */
function unanswered({ slot, surface }: ControlDependencies, row: RequestRow): string | null {
  if (slot.current?.id !== row.request_id) return null;
  const unseen = surface.observation().reasons.find(({ code }) => code === 'unseen_paste');
  return unseen ? reasonText(unseen) : null;
}

function reasons(deps: ControlDependencies): (row: RequestRow) => string | null {
  const held = deps.hold.reason();
  const others = reasonsUnlessHeld(deps, held === undefined ? 'all' : 'asked');
  return (row) => (held !== undefined && isAutomatic(row) ? held : others(row));
}

function reasonsUnlessHeld(
  deps: ControlDependencies,
  whose: Parameters<RequestQueue['plan']>[0],
): (row: RequestRow) => string | null {
  const { queue, presence, surface } = deps;
  const admission = presence.admission();
  if (admission === 'blocked_reconciliation') {
    const epoch = presence.epoch();
    return (row) =>
      row.managed_agent_instance_epoch < epoch
        ? 'reconciliation: accepted for an earlier agent process; keep or discard it'
        : 'reconciliation: kept, and runs when the others of an earlier agent process are decided';
  }
  if (admission === 'blocked_unavailable') {
    const why = surface.observation().unavailableReason;
    return () => `the agent is not available${why ? `: ${why}` : ''}`;
  }
  const pressed = queue.running().find((row) => row.request_kind === 'interrupt');
  const [interrupt] = queue.interrupts(1);
  const plan = queue.plan(whose);
  const joined = new Map(plan?.drop.map(({ requestId, into }) => [requestId, into]));
  const head = interrupt?.request_id ?? plan?.keep[0] ?? queue.queued(1, whose)[0]?.request_id;
  return (row) => {
    const into = joined.get(row.request_id);
    if (into !== undefined) return `joined to ${into}`;
    if (row.request_kind === 'interrupt') {
      const before = pressed?.request_id ?? head;
      return before === undefined || before === row.request_id
        ? keysWait(surface.observation(), row)
        : `behind ${before}`;
    }
    if (row.request_id !== head && head !== undefined) return `behind ${head}`;
    return whyNotNow(deps) ?? row.waiting_reason;
  };
}

function keysWait({ keysWait: why }: Observation, row: RequestRow): string | null {
  return why === undefined ? row.waiting_reason : reasonText(why);
}
