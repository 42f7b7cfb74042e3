import type { Context } from 'hono';

const KEY = 'rouse.held';

/** The caller asked to be kept waiting: its time is counted apart from that of the others. */
export function countAsHeld(context: Context): void {
  context.set(KEY, true);
}

export const isCountedAsHeld = (context: Context): boolean => context.get(KEY) === true;
