import type { NextPass } from '../../base/index.ts';
import { deliverRequest } from './deliver.ts';
import type { DispatchDependencies } from './dispatch-pass.ts';

/**
 * One pass over the interrupts: they are never gated and never wait for the execution under way, since that is what
 * they are meant to end. Prompts behind them wait until they are done.
 */
export async function interruptPass(dependencies: DispatchDependencies): Promise<NextPass> {
  const { queue } = dependencies;
  if (dependencies.admission() !== 'open') return 'idle';
  const plan = queue.plan();
  const planned = plan?.keep.map((id) => queue.get(id)).find((each) => each.request_kind === 'interrupt');
  const row = planned ?? queue.nextInterrupt();
  if (!row || row.managed_agent_instance_epoch !== dependencies.epoch()) return 'idle';
  if (await queue.claim(row.request_id)) await deliverRequest(row, 'ready_only', dependencies, plan);
  return 0;
}
