import { type Query, QueryClient } from '@tanstack/react-query';
import type { PageChange } from '../../wire/index.ts';
import { PageError } from '../model/ask.ts';
import { together } from '../model/ask-together.ts';

type Touched = NonNullable<PageChange['touched']>[number];

/** Everything the page loads besides the picture. It stays valid until the stream reports a change. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 60_000,
      gcTime: 120_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (tries, error) =>
        tries < 2 && !(error instanceof PageError && error.status >= 400 && error.status < 500),
    },
    mutations: { retry: false },
  },
});

/** Which queries each kind of change affects, by the first part of their keys. */
const AFFECTED: Record<Touched['what'], readonly string[]> = {
  mail: ['mail', 'receipts', 'timeline', 'waits'],
  queue: ['receipts', 'timeline', 'ledger', 'facts'],
  timeline: ['timeline', 'ledger', 'facts'],
  screen: ['facts'],
  reminders: ['reminders', 'timeline'],
  requests: ['requests', 'timeline', 'waits'],
};

/** Keys are `[what, agent or null, …]`; a query with null is affected by changes of any agent. */
export function refetchTouched(touched: readonly Touched[]): void {
  if (touched.length === 0) return;
  const stale = (key: readonly unknown[]): boolean =>
    touched.some(
      ({ agent, what }) =>
        AFFECTED[what].includes(key[0] as string) && (agent === null || key[1] === null || key[1] === agent),
    );
  for (const { queryHash } of queryClient
    .getQueryCache()
    .findAll({ predicate: (query) => stale(query.queryKey) && !isOver(query) }))
    due.add(queryHash);
  void askAgain();
}

/** A query whose data cannot change any more has `meta.isOver`. */
function isOver({ meta, state: { data } }: Query): boolean {
  const is = meta?.['isOver'] as ((data: unknown) => boolean) | undefined;
  return data !== undefined && (is?.(data) ?? false);
}

export function invalidateAll(): void {
  void queryClient.invalidateQueries();
}

/** Data that changes all the time is fetched at most this often. */
const PAUSE_MS = 500;
const due = new Set<string>();
let askedMs = Number.NEGATIVE_INFINITY;
let isAsking = false;

/** One round of queries at a time, as one request. Changes during a round are fetched in the next one. */
async function askAgain(): Promise<void> {
  const cache = queryClient.getQueryCache();
  const isDue = { predicate: ({ queryHash }: { queryHash: string }) => due.has(queryHash) };
  // Queries that are not shown are fetched once they are shown.
  void queryClient.invalidateQueries({ ...isDue, refetchType: 'none' });
  if (isAsking) return;
  isAsking = true;
  while (due.size > 0) {
    await new Promise((done) => setTimeout(done, Math.max(0, askedMs + PAUSE_MS - performance.now())));
    // A response that is on its way may be older than the change.
    await Promise.allSettled(
      cache.findAll({ ...isDue, fetchStatus: 'fetching' }).map(({ promise }) => promise),
    );
    const round = new Set(due);
    due.clear();
    askedMs = performance.now();
    await together(() =>
      queryClient.refetchQueries(
        { type: 'active', predicate: ({ queryHash }) => round.has(queryHash) },
        { cancelRefetch: false },
      ),
    );
  }
  isAsking = false;
}
