import type { NextPass } from '../../base/index.ts';
import { reasonText } from '../../domain/index.ts';
import { type CoalescePlan, joinInterrupts } from '../queue/index.ts';
import { claimRequest } from './claim-request.ts';
import type { DispatchDependencies } from './dispatch-pass.ts';
import { runRequest } from './run-request.ts';

/**
 * One pass over the interrupts. No turn, dialog or current execution delays them: they are meant to end it. If no keys
 * can be pressed they wait for the surface to change. All interrupts that wait when the keys are pressed count as one.
 * Prompts behind them wait until they are done.
 */
export async function interruptPass(dependencies: DispatchDependencies): Promise<NextPass> {
  const { queue, surface, pause } = dependencies;
  if (dependencies.admission() !== 'open') return 'idle';
  const [row] = queue.interrupts(1);
  if (!row || row.managed_agent_instance_epoch !== dependencies.epoch()) return 'idle';
  const { keysWait } = surface.observation();
  if (keysWait !== undefined) {
    queue.noteWaiting(row, reasonText(keysWait));
    return 'idle';
  }
  if (pause.left() > 0) return pause.left();
  const effectiveActions = queue.plan()?.effectiveActions ?? ['interrupt'];
  const joined = (): CoalescePlan => joinInterrupts(row, queue.interrupts(), effectiveActions);
  if (!(await claimRequest(row, dependencies))) return 0;
  const { ending } = await runRequest(row, 'ready_only', dependencies, joined);
  if (ending === 'returned') return pause.begin();
  pause.reset();
  return 0;
}
