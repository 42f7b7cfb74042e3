import { executionAsyncResource } from 'node:async_hooks';
import type { Context } from 'hono';

/**
 * Keeps the objects of an app's first request alive: those of Node and hono, and one of each kind that Node makes to continue
 * later. When the last object of a class is collected, V8 drops the layout of the class and builds all later ones the slow way:
 * after half a minute of rest, each request of a gateway took a third longer.
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
