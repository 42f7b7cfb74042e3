import type { Recheck } from '../../terminal/index.ts';
import type { InterruptPayload } from '../../wire/index.ts';
import { payloadOf, type RequestQueue, type RequestRow } from '../queue/index.ts';

/** An interrupt may be meant for the turn of one request alone; the turn of another is none of its business. */
export function mayInterrupt(row: RequestRow, queue: RequestQueue): Recheck {
  const { turn_of: wanted } = payloadOf(row) as InterruptPayload;
  if (wanted == null) return { go: true };
  const runs =
    queue.running().some(({ request_id }) => request_id === wanted) || queue.leftTurn()?.requestId === wanted;
  return runs ? { go: true } : { go: false, reason: `the turn of request ${wanted} is not running` };
}
