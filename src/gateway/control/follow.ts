import type { LedgerEntry, RequestQueue } from '../queue/index.ts';

/** Resolves when the request has ended, or the caller has disconnected. */
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
  /** The id of the last entry the reader saw. Absent: from now on, or from the beginning of the one request. */
  after?: number | undefined;
  requestId?: string | undefined;
  signal: AbortSignal;
}

/**
 * Yields every ledger entry after the last seen one, first stored ones, then new ones, without gap or repeat. For a
 * single request it ends when nothing more can come.
 */
export async function* followLedger(
  queue: RequestQueue,
  { after, requestId, signal }: Following,
): AsyncGenerator<LedgerEntry> {
  // A reader that claims to have seen more than exists (a recreated store) starts at the end instead of waiting for
  // ever.
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
      const whole = requestId !== undefined && queue.isComplete(requestId);
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
