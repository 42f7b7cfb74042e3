import type { NextPass } from '../../base/index.ts';
import { type CoalescePlan, joinInterrupts } from '../queue/index.ts';
import { deliverRequest } from './deliver.ts';
import type { DispatchDependencies } from './dispatch-pass.ts';

/**
 * One pass over the interrupts: they are never gated and never wait for the execution under way, since that is what
 * they are meant to end. All that wait when the keys are pressed are one. Prompts behind them wait until they are done.
 */
export async function interruptPass(dependencies: DispatchDependencies): Promise<NextPass> {
  const { queue } = dependencies;
  if (dependencies.admission() !== 'open') return 'idle';
  const [row] = queue.interrupts(1);
  if (!row || row.managed_agent_instance_epoch !== dependencies.epoch()) return 'idle';
  const effectiveActions = queue.plan()?.effectiveActions ?? ['interrupt'];
  const joined = (): CoalescePlan => joinInterrupts(row, queue.interrupts(), effectiveActions);
  if (await queue.claim(row.request_id)) await deliverRequest(row, 'ready_only', dependencies, joined);
  return 0;
}
