import type { Context } from 'hono';

const kept: Context[] = [];

/**
 * Keeps what was made for the first request of this process: objects of Node, of hono and ours. Once the last object of a
 * class has been collected V8 forgets how they are laid out, and makes all later ones the slow way until the process ends: a
 * gateway that had rested for half a minute needed a third more time for each request from then on.
 */
export function keepFirst(context: Context): void {
  if (kept.length === 0) kept.push(context);
}
