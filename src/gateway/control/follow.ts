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

export interface Following {
  /** The id of the entry the reader saw last; absent: from now on, or from the beginning of the one request. */
  after?: number | undefined;
  requestId?: string | undefined;
  signal: AbortSignal;
}

/**
 * Every ledger entry after the one last seen: first what is stored, then what is written, without gap or repeat. That of
 * one request ends when nothing more can come.
 */
export async function* followLedger(
  queue: RequestQueue,
  { after, requestId, signal }: Following,
): AsyncGenerator<LedgerEntry> {
  // A reader that has seen more than there is (a store made anew) starts at the end, not in a wait without one.
  let last = Math.min(after ?? (requestId === undefined ? Number.POSITIVE_INFINITY : 0), queue.lastEntryId());
  let wake: () => void = () => {};
  const stop = queue.entries.on(() => wake());
  signal.addEventListener('abort', () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      const arrived = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const end = queue.lastEntryId();
      const whole = requestId !== undefined && queue.isToldWhole(requestId);
      const page = queue.ledgerAfter(last, requestId);
      for (const entry of page) yield entry;
      last = page.at(-1)?.entry_id ?? Math.max(last, end);
      if (whole && page.length === 0) return;
      if (!whole && queue.lastEntryId() <= last && !signal.aborted) await arrived;
    }
  } finally {
    stop();
  }
}
