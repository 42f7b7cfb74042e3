/**
 * Dispatch: takes accepted requests one at a time and puts them into the agent's surface.
 *
 * Promises  A claimed request ends in exactly one outcome, or is requeued when nothing of it was typed.
 *           One execution at a time for all sources: queue, direct prompts, reminders, notifier.
 * Never     Decides whether the agent may be disturbed (that is the surface's gate), or types itself (that is its lane).
 * A crash between "typing" and "finished" leaves evidence; recover.ts reads it at start, because sending a prompt twice
 * is worse than reporting it lost.
 */
export { claimRequest } from './claim-request.ts';
export { type DispatchDependencies, dispatchPass, resumeRequest, whyNotNow } from './dispatch-pass.ts';
export { type Execution, ExecutionSlot } from './execution-slot.ts';
export { interruptPass } from './interrupt-pass.ts';
export { LanePause } from './lane-pause.ts';
export { followLeftTurn } from './left-turn.ts';
export { recoverRunning } from './recover.ts';
export { runRequest } from './run-request.ts';
