import type { RequestRow } from '../queue/index.ts';
import { backInLine } from './back-in-line.ts';
import type { RunDependencies } from './run-request.ts';
import { written } from './written.ts';

const REFUSED = 'the disk refused to keep that it was begun; nothing was typed';

/**
 * Takes a request out of the line. False when it is no longer there. A disk that takes the change and then refuses the sync
 * leaves it running in nobody's hands: it goes back, and the refusal is thrown.
 */
export async function claimRequest(row: RequestRow, dependencies: RunDependencies): Promise<boolean> {
  const { queue } = dependencies;
  const { request_id: id } = row;
  try {
    return await queue.claim(id);
  } catch (error) {
    if (row.source === 'direct')
      await written(() => backInLine(row, queue, { why: REFUSED, evidence: [] }), dependencies);
    else if (queue.get(id).state === 'running')
      await written(() => queue.giveBack(id, REFUSED), dependencies);
    throw error;
  }
}
