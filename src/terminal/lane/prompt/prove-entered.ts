import type { Evidence } from '../../port.ts';
import { commandTaken, proofOfSubmission, turnBegan } from '../../proof/prove-submission.ts';
import type { Snapshot } from '../../watch/snapshot.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import type { Delivery } from './delivery.ts';
import type { Entered } from './press-enter.ts';

/** Proof that the Enters submitted the prompt, as far as this look shows it. */
export function judgeProof(
  { sent }: Delivery,
  { baseline, offered }: Entered,
  snapshot: Snapshot,
): Evidence | undefined {
  return proofOfSubmission(snapshot, baseline, sent) ?? (offered ? commandTaken(snapshot, sent) : undefined);
}

/** Waits for the proof; an interrupt ends the wait. */
export async function prove(
  delivery: Delivery,
  entered: Entered,
  timeoutMs: number,
): Promise<Evidence | undefined> {
  const { sent, tracker, queuedKeys } = delivery;
  const judge = (snapshot: Snapshot): Evidence | undefined => judgeProof(delivery, entered, snapshot);
  const proof = await waitUntil(delivery, judge, timeoutMs, queuedKeys.signal);
  return proof ?? turnBegan(tracker.snapshot, entered.baseline, sent);
}

/**
 * If the tool itself reports that it is idle, a swallowed Enter can be distinguished from a slow redraw much sooner.
 */
export function swallowedMs({ patience, sent }: Delivery): number {
  const levels = sent.signals.flatMap((signal) => signal.read()).filter(({ writerAlive }) => writerAlive);
  return levels.length > 0 ? patience.swallowedMs.withIdleSignal : patience.swallowedMs.withoutIdleSignal;
}
