import { createStore, useStore } from './store.ts';

export interface Place {
  path: string;
  query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

export const place = createStore(here());

/** Every place has an address: what is chosen, filtered or opened stands in it. */
export function goTo(address: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(address, location.href);
  if (url.origin !== location.origin) return;
  if (url.href === location.href) return;
  history[how === 'push' ? 'pushState' : 'replaceState'](null, '', url.pathname + url.search);
  place.set(here());
}

/** The same place with some of its query changed; undefined takes a name out. */
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

/** A place of this page, and nothing else: what the server or an agent names is not followed elsewhere. */
export const isOwnPlace = (address: string): boolean => /^\/ui\/(?!api\/)/.test(address);
