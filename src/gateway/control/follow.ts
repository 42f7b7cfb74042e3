import type { LedgerEntry, RequestQueue } from '../queue/index.ts';

/** Resolves when the request has ended, or the caller has gone. */
export async function untilFinished(
  queue: RequestQueue,
  requestId: string,
  signal: AbortSignal,
): Promise<void> {
  if (queue.get(requestId).finished_at_utc !== null) return;
  await queue.entries
    .next((entry) => entry.request_id === requestId && entry.stage === 'finished', signal)
    .catch(() => undefined);
}

/** Every ledger entry after the one last seen: first what is stored, then what is written, without gap or repeat. */
export async function* followLedger(
  queue: RequestQueue,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<LedgerEntry> {
  // A reader that has seen more than there is (a store made anew) starts at the end, not in a wait without one.
  let last = Math.min(after ?? Number.POSITIVE_INFINITY, queue.lastEntryId());
  let wake: () => void = () => {};
  const stop = queue.entries.on(() => wake());
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      const arrived = new Promise<void>((resolve) => {
        wake = resolve;
      });
      for (const entry of queue.ledgerAfter(last)) {
        last = entry.entry_id;
        yield entry;
      }
      if (queue.lastEntryId() <= last && !signal.aborted) await arrived;
    }
  } finally {
    stop();
  }
}
