import type { TuiTimings } from '../../domain/index.ts';
import { type Facts, stillBeforeTyping, type TurnState } from '../../screen/index.ts';

/**
 * Milliseconds until time alone may change the state: stability, settling, recovery. Undefined if nothing is pending.
 */
export function nextDeadline(
  turn: TurnState,
  facts: Facts,
  nowMs: number,
  timings: TuiTimings,
): number | undefined {
  const { stability, settling, anchor, unreadableSinceMs } = turn;
  const due: number[] = [];
  const add = (sinceMs: number, seconds: number): void => void due.push(sinceMs + seconds * 1000);
  if (stability.signature !== '') {
    const threshold = timings.stability_threshold_seconds;
    add(stability.sinceMs, threshold);
    add(stability.sinceMs, stillBeforeTyping(turn, facts, threshold));
  }
  if (settling) add(settling.sinceMs, timings.completion_stability_seconds);
  if (anchor) add(Math.max(anchor.sinceMs, stability.sinceMs), timings.final_stable_active_recovery_seconds);
  if (facts.busy.doubtful) {
    add(Math.max(stability.sinceMs, nowMs - facts.busy.ageMs), timings.stale_active_recovery_seconds);
  }
  if (unreadableSinceMs !== null) add(unreadableSinceMs, timings.unknown_to_stalled_timeout_seconds);
  const left = due.map((at) => at - nowMs).filter((ms) => ms > 0);
  return left.length === 0 ? undefined : Math.min(...left);
}
