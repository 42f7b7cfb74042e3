import { useEffect, useMemo, useRef, useState } from 'react';

/** The keys from one to another in their order, both included; only the second if the first is gone. */
export function between(keys: readonly string[], from: string | undefined, to: string): string[] {
  const a = from === undefined ? -1 : keys.indexOf(from);
  const b = keys.indexOf(to);
  if (b < 0) return [];
  return a < 0 ? [to] : keys.slice(Math.min(a, b), Math.max(a, b) + 1);
}

export interface Selection {
  chosen: ReadonlySet<string>;
  /** With shift, all from the last one that was clicked get the state of this one. */
  toggle(key: string, isRange: boolean): void;
  setAll(isOn: boolean): void;
}

/** The chosen rows of a list. Rows that leave the list are no longer chosen; another list begins with none. */
export function useSelection(keys: readonly string[], list: string): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list is another selection
  useEffect(() => {
    setChosen(new Set());
    last.current = undefined;
  }, [list]);
  const shown = useMemo(() => new Set(keys.filter((key) => chosen.has(key))), [keys, chosen]);
  return {
    chosen: shown,
    toggle(key, isRange) {
      const next = new Set(shown);
      const isOn = !shown.has(key);
      for (const each of isRange ? between(keys, last.current, key) : [key])
        if (isOn) next.add(each);
        else next.delete(each);
      last.current = key;
      setChosen(next);
    },
    setAll: (isOn) => setChosen(new Set(isOn ? keys : [])),
  };
}
