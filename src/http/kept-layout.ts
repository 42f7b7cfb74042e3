import { executionAsyncResource } from 'node:async_hooks';
import type { Context } from 'hono';

/**
 * Keeps what was made for an app's first request: objects of Node and of hono, and one each of what Node makes to go on later. Once
 * the last object of a class has been collected V8 forgets how they are laid out, and makes all later ones the slow way until the
 * process ends: a gateway that had rested for half a minute needed a third more time for each request from then on.
 */
export function keepFirst(): (context: Context) => void {
  const kept: unknown[] = [];
  return (context) => {
    if (kept.length > 0) return;
    kept.push(
      context,
      setImmediate(() => {}),
    );
    process.nextTick(() => kept.push(executionAsyncResource()));
  };
}
