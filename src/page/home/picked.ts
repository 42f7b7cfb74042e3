import { createStore } from '../model/store.ts';

/** The agents that a person selected, by id; undefined while they select none. */
export const picked = createStore<ReadonlySet<string> | undefined>(undefined);

export function pick(id: string, isPicked: boolean): void {
  const next = new Set(picked.get());
  if (isPicked) next.add(id);
  else next.delete(id);
  picked.set(next);
}
