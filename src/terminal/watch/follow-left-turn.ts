import { evidenceAt, type LaneContext } from '../lane-context.ts';
import type { LeftTurn } from '../port.ts';
import { answerOf } from './follow-turn.ts';
import type { Sight } from './sight.ts';

/**
 * Watches for the end of a turn that an earlier process saw begin. The screen cannot tell whose turn it shows, so only the
 * tool's own word counts: that this prompt was the last it received, and that its turn is over; told once the tool is ready.
 * Undefined where the tool has no such word.
 */
export function followLeftTurn(
  turn: LeftTurn,
  { clock, tracker, log }: LaneContext,
): (() => void) | undefined {
  if (!tracker.signals.some((signal) => signal.ended)) return undefined;
  const sinceMs = Date.parse(turn.sinceUtc);
  const look = (sight: Sight): void => {
    if (!tracker.gate(sight, 'ready_only').ready) return;
    const [end] = tracker.signals.flatMap((signal) => signal.ended?.(turn.text, sinceMs) ?? []);
    if (!end) return;
    stop();
    const { source, atUtc, result } = end;
    const facts = { result, ended_at_utc: atUtc, ...answerOf(tracker, sinceMs) };
    turn
      .record('turn_finished', evidenceAt(clock, source, facts))
      .catch((error: unknown) => log.debug('turn stage not recorded', { cause: String(error) }));
  };
  const stop = tracker.changed.on(look);
  look(tracker.sight);
  return stop;
}
