import { invalid } from '../../base/index.ts';
import type { DeliveryState } from '../words/reminders.ts';

/** Beyond it, JSON readers would see two rankings that differ by one as the same number. */
export const MAX_RANKING = Number.MAX_SAFE_INTEGER;

export function isRanking(value: number): boolean {
  return Number.isSafeInteger(value);
}

/** What decides which reminder is first. */
export interface Ranked {
  reminder_id: string;
  ranking: number;
  createdMs: number;
}

/** Smaller ranking first, then the older one, then the smaller id: a total order, so there is always one first. */
export function compareReminders(a: Ranked, b: Ranked): number {
  if (a.ranking !== b.ranking) return a.ranking < b.ranking ? -1 : 1;
  if (a.createdMs !== b.createdMs) return a.createdMs < b.createdMs ? -1 : 1;
  return a.reminder_id < b.reminder_id ? -1 : a.reminder_id > b.reminder_id ? 1 : 0;
}

/** `executing` while it is being delivered; `overdue` from its due time on, even if paused or blocked. */
export function deliveryState(
  reminder: { executing: boolean; nextDueMs: number },
  nowMs: number,
): DeliveryState {
  if (reminder.executing) return 'executing';
  return reminder.nextDueMs <= nowMs ? 'overdue' : 'scheduled';
}

/** Returns a ranking before all of these: the smallest − 1, or 0 if there are none. */
export function rankingBeforeAll(rankings: readonly number[]): number {
  return rankings.length === 0 ? 0 : 0 - stepAbove(0 - extreme(rankings, Math.min));
}

/** Returns a ranking after all of these: the largest + 1, or 0 if there are none. */
export function rankingAfterAll(rankings: readonly number[]): number {
  return rankings.length === 0 ? 0 : stepAbove(extreme(rankings, Math.max));
}

const extreme = (rankings: readonly number[], pick: (a: number, b: number) => number): number =>
  rankings.reduce((a, b) => pick(a, b));

function stepAbove(ranking: number): number {
  if (!isRanking(ranking + 1))
    throw invalid('ranking cannot go further: the outermost number is already used');
  return ranking + 1;
}
