import { createStore, useStore } from './store.ts';

export interface Place {
  path: string;
  query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = createStore(here());

/** Every view has an address that contains what is chosen, filtered or open. */
export function goTo(address: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin) return;
  if (url.href === location.href) return;
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', url.pathname + url.search);
  place.set(here());
}

/** The present address with parts of its query changed; undefined removes a name. */
export function withQuery(change: Record<string, string | undefined>): string {
  const { path, query } = place.get();
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  }
  const search = next.toString();
  return search ? `${path}?${search}` : path;
}

export function listenToHistory(): void {
  addEventListener('popstate', () => place.set(here()));
}

export const usePlace = (): Place => useStore(place);

export const useQueryWord = (name: string): string | undefined =>
  useStore(place, ({ query }) => query.get(name) ?? undefined);

export const agentPath = (name: string): string => `/ui/agents/${encodeURIComponent(name)}`;

/** Whether an address is of this page. Links from the server or an agent are never followed elsewhere. */
export const isOwnPlace = (address: string): boolean => /^\/ui\/(?!api\/)/.test(address);
