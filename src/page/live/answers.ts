import { QueryClient } from '@tanstack/react-query';
import type { PageChange } from '../../wire/index.ts';
import { PageError } from '../model/ask.ts';

type Touched = NonNullable<PageChange['touched']>[number];

/** What the page asked for beyond the picture. It stays good until the stream says that it was touched. */
export const answers = new QueryClient({
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

/** Which questions each kind of touch concerns: the first words of their keys. */
const CONCERNED: Record<Touched['what'], readonly string[]> = {
  mail: ['mail', 'timeline'],
  queue: ['queue', 'timeline', 'ledger', 'facts'],
  timeline: ['timeline', 'ledger', 'facts'],
  screen: ['facts'],
  reminders: ['reminders', 'timeline'],
  requests: ['requests', 'timeline'],
};

/** Keys are `[what, agent or null, …]`; a question about no single agent hears of all. */
export function forgetTouched(touched: readonly Touched[]): void {
  if (touched.length === 0) return;
  const stale = (key: readonly unknown[]): boolean =>
    touched.some(
      ({ agent, what }) =>
        CONCERNED[what].includes(key[0] as string) && (agent === null || key[1] === null || key[1] === agent),
    );
  void answers.invalidateQueries({ predicate: ({ queryKey }) => stale(queryKey) });
}

export function forgetAll(): void {
  void answers.invalidateQueries();
}
