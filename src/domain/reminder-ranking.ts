import { invalid } from '../base/index.ts';
import type { DeliveryState } from './reminder.ts';

/** What decides which reminder leads. */
export interface Ranked {
  reminder_id: string;
  ranking: number;
  createdMs: number;
}

/** Smaller ranking first, then the older one, then the smaller id: a total order, so there is always one leader. */
export function compareReminders(a: Ranked, b: Ranked): number {
  if (a.ranking !== b.ranking) return a.ranking < b.ranking ? -1 : 1;
  if (a.createdMs !== b.createdMs) return a.createdMs < b.createdMs ? -1 : 1;
  return a.reminder_id < b.reminder_id ? -1 : a.reminder_id > b.reminder_id ? 1 : 0;
}

/** The one reminder that may dispatch, over all live ones: paused, not yet due and executing ones lead too. */
export function effectiveReminder<R extends Ranked>(live: Iterable<R>): R | undefined {
  let leader: R | undefined;
  for (const each of live) if (!leader || compareReminders(each, leader) < 0) leader = each;
  return leader;
}

/** Executing while it is being delivered; overdue from its due time on, paused or blocked or not. */
export function deliveryState(
  reminder: { executing: boolean; nextDueMs: number },
  nowMs: number,
): DeliveryState {
  if (reminder.executing) return 'executing';
  return reminder.nextDueMs <= nowMs ? 'overdue' : 'scheduled';
}

/** A ranking before every given one: smallest − 1, or 0 when there is none. */
export function rankingBeforeAll(rankings: readonly number[]): number {
  return rankings.length === 0 ? 0 : 0 - stepAbove(0 - extreme(rankings, Math.min));
}

/** A ranking after every given one: largest + 1, or 0 when there is none. */
export function rankingAfterAll(rankings: readonly number[]): number {
  return rankings.length === 0 ? 0 : stepAbove(extreme(rankings, Math.max));
}

const extreme = (rankings: readonly number[], pick: (a: number, b: number) => number): number =>
  rankings.reduce((a, b) => pick(a, b));

// Beyond 2^53 adding one changes nothing, and the step is the next whole number a double can hold.
function stepAbove(ranking: number): number {
  let step = 1;
  while (ranking + step <= ranking) step *= 2;
  const next = ranking + step;
  if (!Number.isFinite(next))
    throw invalid('ranking cannot go further: the outermost number is taken already');
  return next;
}
