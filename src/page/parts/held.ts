import { useMemo, useRef, useState } from 'react';
import { useStore } from '../model/store.ts';
import { holders } from './holding.ts';

export interface HeldRow<T> {
  row: T;
  /** It is no longer in the list, and is shown in its old place. */
  isGone: boolean;
}

export interface Held<T> {
  rows: HeldRow<T>[];
  /** How many new rows wait to be shown. */
  fresh: number;
  show(): void;
}

const NOTHING = () => undefined;
const NOT_LOADED: Held<never> = { rows: [], fresh: 0, show: NOTHING };

/**
 * The rows in the order in which they may be shown now; `rows` is undefined while they are loading. Nothing moves under the
 * pointer or the focus: rows change in place, new rows wait behind a count, and removed rows stay, greyed, until no list is
 * held.
 */
export function useHeld<T>(rows: readonly T[] | undefined, keyOf: (row: T) => string): Held<T> {
  const isHeld = useStore(holders, (count) => count > 0);
  const [released, setReleased] = useState(0);
  const shown = useRef<{ order: string[]; last: Map<string, T>; released: number }>(undefined);
  return useMemo(() => {
    if (!rows) return NOT_LOADED as unknown as Held<T>;
    const now = new Map(rows.map((row) => [keyOf(row), row]));
    const before = shown.current;
    if (!isHeld || !before || before.released !== released) {
      shown.current = { order: [...now.keys()], last: now, released };
      return { rows: rows.map((row) => ({ row, isGone: false })), fresh: 0, show: NOTHING };
    }
    const last = new Map([...before.last].map(([key, row]) => [key, now.get(key) ?? row]));
    shown.current = { ...before, last };
    return {
      rows: before.order.map((key) => ({ row: last.get(key) as T, isGone: !now.has(key) })),
      fresh: [...now.keys()].filter((key) => !last.has(key)).length,
      show: () => setReleased((count) => count + 1),
    };
  }, [rows, keyOf, isHeld, released]);
}
