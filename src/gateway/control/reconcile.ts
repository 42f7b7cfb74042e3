import { invalid, notFound } from '../../base/index.ts';
import { toListedRequest } from '../queue/index.ts';
import type { ControlDependencies } from './dependencies.ts';
import { waitingNow } from './waiting-now.ts';

/** What an earlier agent process left, and whether a person must decide about it. */
export function reconciliation(deps: ControlDependencies) {
  const { presence, queue } = deps;
  const { epoch, recovery } = presence.door();
  const inherited = queue.queued(1000).filter((row) => row.managed_agent_instance_epoch < epoch);
  return {
    schema_version: 1 as const,
    managed_agent_recovery: recovery,
    managed_agent_instance_epoch: epoch,
    requests: inherited.map(waitingNow(deps)).map(toListedRequest),
  };
}

/** Keeps requests for the current process and ends the others. Admission opens when none is undecided. */
export async function reconcile(
  keep: readonly string[],
  discard: readonly string[],
  deps: ControlDependencies,
) {
  const known = new Set(reconciliation(deps).requests.map((request) => request.request_id));
  for (const id of [...keep, ...discard]) {
    if (!known.has(id)) throw notFound(`request ${id} does not wait for reconciliation`);
  }
  const both = keep.find((id) => discard.includes(id));
  if (both !== undefined) throw invalid(`request ${both} is named both in keep and in discard`);
  for (const id of discard) {
    await deps.queue.finish(id, { outcome: 'cancelled', detail: 'discarded at reconciliation' });
  }
  await deps.queue.keep(keep, deps.presence.epoch());
  deps.instances.settle();
  return reconciliation(deps);
}
