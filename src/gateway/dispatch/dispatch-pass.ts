import { type Clock, isRouseError, type NextPass, untilWall } from '../../base/index.ts';
import type { Admission } from '../../domain/index.ts';
import type { CoalescePlan, InstanceStore, RequestRow } from '../queue/index.ts';
import { type DeliverDependencies, deliverRequest } from './deliver.ts';
import type { ExecutionSlot } from './execution-slot.ts';
import type { LanePause } from './lane-pause.ts';

export interface DispatchDependencies extends DeliverDependencies {
  slot: ExecutionSlot;
  pause: LanePause;
  clock: Clock;
  instances: InstanceStore;
  admission: () => Admission;
  epoch: () => number;
}

/**
 * One pass: at most one request. Whatever may change the answer (a new request, the surface, the slot, admission)
 * wakes the loop; a pass itself only looks.
 */
export async function dispatchPass(dependencies: DispatchDependencies): Promise<NextPass> {
  const { queue, slot, clock } = dependencies;
  await queue.expire();
  if (dependencies.admission() !== 'open') return untilExpiry(dependencies);
  const plan = queue.plan();
  const row = plan ? queue.get(plan.keep[0]!) : queue.line(1)[0];
  // An interrupt ahead of it goes first, on its own loop; its end wakes us.
  if (!row || (queue.interrupts(1)[0] && row.managed_agent_instance_epoch === dependencies.epoch())) {
    return untilExpiry(dependencies);
  }
  if (row.managed_agent_instance_epoch !== dependencies.epoch()) {
    dependencies.instances.inherit();
    return untilExpiry(dependencies);
  }
  const waiting = whyNotNow(dependencies);
  if (waiting) {
    queue.noteWaiting(row, waiting);
    return untilExpiry(dependencies);
  }
  const pause = dependencies.pause.left();
  if (pause > 0) return sooner(pause, untilExpiry(dependencies));
  try {
    const source = row.request_kind === 'mail_notifier_prompt' ? 'mail' : 'queue';
    const ending = await slot.run({ source, id: row.request_id, since: clock.now() }, () =>
      execute(row, plan, dependencies),
    );
    if (ending === 'returned') return dependencies.pause.begin();
    if (ending === 'submitted') dependencies.pause.reset();
    return 0;
  } catch (error) {
    // The slot was taken between the look and the run; its release wakes us.
    if (isRouseError(error) && error.code === 'not_ready') return 'idle';
    throw error;
  }
}

async function execute(
  row: RequestRow,
  plan: CoalescePlan | undefined,
  dependencies: DispatchDependencies,
): Promise<string> {
  if (!(await dependencies.queue.claim(row.request_id))) return 'gone';
  return deliverRequest(row, 'ready_only', dependencies, () => plan);
}

/** What keeps the head of the line from being typed, as far as it shows; the lane may see more. */
export function whyNotNow({
  slot,
  surface,
}: Pick<DispatchDependencies, 'slot' | 'surface'>): string | undefined {
  if (slot.current) return `busy with ${slot.current.source} ${slot.current.id}`;
  const { ready, reasons } = surface.observation();
  return ready ? undefined : reasons.join(' ') || 'not ready';
}

function sooner(pause: number, expiry: NextPass): number {
  return expiry === 'idle' ? pause : Math.min(pause, expiry);
}

function untilExpiry({ queue, clock }: DispatchDependencies): NextPass {
  const at = queue.nextExpiry();
  return at === undefined ? 'idle' : Math.max(10, untilWall(clock, Date.parse(at)));
}
