import type { Clock } from '../../base/index.ts';
import type { PaneWatch } from './pane-watch.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tracker } from './tracker.ts';

export interface Waiting {
  tracker: Tracker;
  watch: PaneWatch;
  clock: Clock;
}

/** Returns the first result of `judge` on a snapshot, now or after a change; undefined on timeout or when cut short. */
export async function waitUntil<T>(
  { tracker, watch, clock }: Waiting,
  judge: (snapshot: Snapshot) => T | undefined,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<T | undefined> {
  const now = judge(tracker.snapshot);
  if (now !== undefined) return now;
  if (signal?.aborted) return judge(await tracker.look());
  const calm = watch.watchClosely();
  try {
    const answer = await new Promise<T | undefined>((resolve) => {
      const done = (value: T | undefined): void => {
        stop();
        cancel();
        signal?.removeEventListener('abort', giveUp);
        resolve(value);
      };
      const giveUp = (): void => done(undefined);
      const stop = tracker.changed.on((snapshot) => {
        const found = judge(snapshot);
        if (found !== undefined) done(found);
      });
      const cancel = clock.after(timeoutMs, giveUp);
      signal?.addEventListener('abort', giveUp, { once: true });
    });
    return answer ?? judge(await tracker.look());
  } finally {
    calm();
  }
}
