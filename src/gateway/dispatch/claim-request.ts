import type { RequestRow } from '../queue/index.ts';
import { requeue } from './requeue.ts';
import type { RunDependencies } from './run-request.ts';
import { untilStored } from './until-stored.ts';

const REFUSED = 'the disk refused to keep that it was begun; nothing was typed';

/**
 * Claims a queued request. Returns false if it is no longer queued. If the disk takes the change but refuses the sync,
 * the request would run unowned: it is requeued and the error is thrown.
 */
export async function claimRequest(row: RequestRow, dependencies: RunDependencies): Promise<boolean> {
  const { queue } = dependencies;
  const { request_id: id } = row;
  try {
    return await queue.claim(id);
  } catch (error) {
    if (row.source === 'direct')
      await untilStored(() => requeue(row, queue, { why: REFUSED, evidence: [] }), dependencies);
    else if (queue.get(id).state === 'running')
      await untilStored(() => queue.giveBack(id, REFUSED), dependencies);
    throw error;
  }
}
