import { evidenceAt, type LaneContext } from '../lane-context.ts';
import type { PromptDelivery, Stage } from '../port.ts';
import type { Snapshot } from './snapshot.ts';

/** In characters; a longer answer is cut after this many. */
const LONGEST_ANSWER = 64_000;

/**
 * Watches the turn of a submitted prompt in the background. Reports when work on it is seen and when it is seen to end,
 * and nothing that was not seen. Ends with the turn, with the next prompt, or when stopped.
 */
export function followTurn(prompt: PromptDelivery, context: LaneContext): () => void {
  let seen = false;
  let queue: Promise<unknown> = Promise.resolve();
  const { clock, tracker, log } = context;
  const sinceMs = clock.now().getTime();
  const report = (stage: Stage, source: string, facts: Record<string, unknown>): void => {
    queue = queue
      .then(() => prompt.record(stage, evidenceAt(clock, source, facts)))
      .catch((error: unknown) => log.debug('turn stage not recorded', { stage, cause: String(error) }));
  };
  const look = (snapshot: Snapshot): void => {
    const { facts, turn } = snapshot;
    const ended = turn.anchor === null && turn.lastTurn.source === 'explicit_input';
    const working = facts.busy.value === 'yes' && !facts.busy.doubtful;
    if (!seen && (working || (ended && turn.lastTurn.result !== 'none'))) {
      seen = true;
      report('turn_seen', facts.busy.source, { evidence: facts.busy.evidence.slice(0, 3) });
    }
    if (ended && turn.lastTurn.result !== 'none') {
      report('turn_finished', 'turn', { result: turn.lastTurn.result, ...answerOf(tracker, sinceMs) });
      stop();
    } else if (turn.anchor === null && turn.phase !== 'active') stop();
  };
  const stop = tracker.changed.on(look);
  look(tracker.snapshot);
  return stop;
}

/** The tool's own record of its answer, if it has a signal for that. */
export function answerOf({ signals }: LaneContext['tracker'], sinceMs: number): { answer?: string } {
  for (const signal of signals) {
    const answer = signal.answerSince?.(sinceMs);
    if (answer !== undefined) return { answer: answer.slice(0, LONGEST_ANSWER) };
  }
  return {};
}
