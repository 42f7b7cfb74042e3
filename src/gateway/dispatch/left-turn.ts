import { promptOf } from '../queue/index.ts';
import type { RunDependencies } from './run-request.ts';
import { untilStored } from './until-stored.ts';

/** Lets the surface report the end of the turn that was running when an earlier gateway ended. */
export function followLeftTurn(dependencies: RunDependencies): void {
  const { queue, surface } = dependencies;
  const left = queue.leftTurn();
  if (!left || !surface.followLeft) return;
  const { requestId, sinceUtc } = left;
  const follows = surface.followLeft({
    text: promptOf(queue.get(requestId)),
    sinceUtc,
    record: (stage, { source, facts }) =>
      untilStored(() => queue.record(requestId, stage, source, facts), dependencies),
  });
  if (follows) queue.continuesTurn(requestId);
}
