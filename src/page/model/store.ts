import { useSyncExternalStore } from 'react';

/** A value that components subscribe to. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Renders again only when the chosen value changes. */
export function useStore<T, C = T>(
  store: Store<T>,
  choose: (value: T) => C = (value) => value as unknown as C,
): C {
  return useSyncExternalStore(store.subscribe, () => choose(store.get()));
}
