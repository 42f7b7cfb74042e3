import type { Evidence } from '../../terminal/index.ts';
import type { RequestQueue, RequestRow } from '../queue/index.ts';

/** A request is requeued once. If that is not enough, a person should look. */
const MAX_RETURNS = 1;

/**
 * Nothing of the request is in the tool: it was never typed or, by the evidence, did not arrive or was erased. A direct
 * prompt is typed now or not at all: its caller saw the connection break and may have asked again.
 */
export async function requeue(
  row: RequestRow,
  queue: RequestQueue,
  { why, evidence }: { why: string; evidence: Evidence[] },
): Promise<void> {
  if (row.source !== 'direct' && row.returns < MAX_RETURNS) {
    await queue.giveBack(row.request_id, why, { counted: true, evidence });
    return;
  }
  const end =
    row.source === 'direct'
      ? 'a direct prompt is not kept for later'
      : 'this was the second time, and it is not tried a third time';
  const result = evidence.length > 0 ? { result: { evidence } } : {};
  await queue.finish(row.request_id, { outcome: 'failed', detail: `${why}; ${end}`, ...result });
}
