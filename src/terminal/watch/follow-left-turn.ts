import { evidenceAt, type LaneContext } from '../lane-context.ts';
import type { LeftTurn } from '../port.ts';
import { answerOf } from './follow-turn.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Watches for the end of a turn that an earlier process saw begin. The screen does not show whose turn it is, so only
 * the tool's own report counts: this prompt was the last it received, and its turn is over. Reported once the tool is
 * ready. Returns undefined if the tool has no such report.
 */
export function followLeftTurn(
  turn: LeftTurn,
  { clock, tracker, log }: LaneContext,
): (() => void) | undefined {
  if (!tracker.signals.some((signal) => signal.turnEnd)) return undefined;
  const sinceMs = Date.parse(turn.sinceUtc);
  const look = (snapshot: Snapshot): void => {
    if (!tracker.gate(snapshot, 'ready_only').ready) return;
    const [end] = tracker.signals.flatMap((signal) => signal.turnEnd?.(turn.text, sinceMs) ?? []);
    if (!end) return;
    stop();
    const { source, atUtc, result } = end;
    const facts = { result, ended_at_utc: atUtc, ...answerOf(tracker, sinceMs) };
    turn
      .record('turn_finished', evidenceAt(clock, source, facts))
      .catch((error: unknown) => log.debug('turn stage not recorded', { cause: String(error) }));
  };
  const stop = tracker.changed.on(look);
  look(tracker.snapshot);
  return stop;
}
