import type { Evidence } from '../../port.ts';
import { commandTaken, proofOfSubmission, turnBegan } from '../../proof/prove-submission.ts';
import type { Sight } from '../../watch/sight.ts';
import { waitUntil } from '../../watch/wait-until.ts';
import type { Delivery } from './delivery.ts';
import type { Entered } from './press-enter.ts';

/** Proof that the Enters submitted the prompt, as far as this look shows it. */
export function judgeProof(
  { sent }: Delivery,
  { baseline, offered }: Entered,
  sight: Sight,
): Evidence | undefined {
  return proofOfSubmission(sight, baseline, sent) ?? (offered ? commandTaken(sight, sent) : undefined);
}

/** Waits for the proof; an interrupt ends the wait. */
export async function prove(
  delivery: Delivery,
  entered: Entered,
  timeoutMs: number,
): Promise<Evidence | undefined> {
  const { sent, tracker, overtaking } = delivery;
  const judge = (sight: Sight): Evidence | undefined => judgeProof(delivery, entered, sight);
  const proof = await waitUntil(delivery, judge, timeoutMs, overtaking.signal);
  return proof ?? turnBegan(tracker.sight, entered.baseline, sent);
}

/** Where the tool itself reports that it is idle, a swallowed Enter is told from a slow redraw much sooner. */
export function swallowedMs({ patience, sent }: Delivery): number {
  const levels = sent.signals.flatMap((signal) => signal.read()).filter(({ writerAlive }) => writerAlive);
  return levels.length > 0 ? patience.swallowedMs.told : patience.swallowedMs.untold;
}
