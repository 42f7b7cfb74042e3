import { unavailable } from '../../../base/index.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { explainWrite } from './explain-write.ts';
import { failure, type Outcome } from './outcome.ts';

/** A message on its way, and who waits for what becomes of it. */
export interface Waiting {
  message: FlatMessage;
  deadline: number;
  timeoutMs: number;
  done: (outcome: Outcome) => void;
}

const MOST_PER_BATCH = 512;
const MOST_BYTES_PER_BATCH = 16 * 1024 * 1024;

/** The first of those that wait, as many as one commit should hold. */
export function takeBatch(waiting: Waiting[]): Waiting[] {
  let count = 0;
  for (let bytes = 0; count < Math.min(waiting.length, MOST_PER_BATCH); count++) {
    bytes += waiting[count]!.message.body.length;
    if (count > 0 && bytes > MOST_BYTES_PER_BATCH) break;
  }
  return waiting.splice(0, count);
}

/** Each its outcome; a single one stands for all. */
export function settle(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
  for (const [i, { done }] of batch.entries()) {
    done(outcomes[i] ?? outcomes.at(-1) ?? failure(new Error('the lock holder gave no answer')));
  }
}

export function fail(batch: readonly Waiting[], error: unknown, mailbox: string): void {
  const why = failure(explainWrite(error, mailbox));
  for (const { done } of batch) done(why);
}

export function outcomeUnknown(mailbox: string): Error {
  return unavailable(
    `another writer took the message for ${mailbox} and did not finish; it may or may not be there`,
    {
      hint: 'retry with the same msg-id: it is never delivered twice',
      facts: { outcome_unknown: true },
    },
  );
}
