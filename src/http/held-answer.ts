import type { Context } from 'hono';

const KEY = 'rouse.held';

/** Marks a request whose caller asked to wait: its time is counted separately. */
export function countAsHeld(context: Context): void {
  context.set(KEY, true);
}

export const isCountedAsHeld = (context: Context): boolean => context.get(KEY) === true;
