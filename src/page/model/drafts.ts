import { useEffect, useMemo, useState } from 'react';

/** What was typed and not sent. */
export interface Draft {
  to: string;
  cc: string;
  subject: string;
  text: string;
}

export const NO_DRAFT: Draft = { to: '', cc: '', subject: '', text: '' };

/** The oldest drafts are dropped beyond this. */
const MAX_DRAFTS = 40;
/** Characters. Of a longer draft, nothing is stored: a part of it would look like all of it. */
const MAX_LENGTH = 100_000;
const MAX_TOGETHER = 400_000;
const WRITE_AFTER_MS = 300;

type Stored = Record<string, Draft & { at: number }>;

/** Of this person only: others may use the same browser with a link of their own. */
const placeOf = (person: string): string => `rouse.drafts.${person}`;

function read(person: string): Stored {
  try {
    const found = JSON.parse(localStorage.getItem(placeOf(person)) ?? '{}') as unknown;
    if (typeof found !== 'object' || found === null) return {};
    return Object.fromEntries(Object.entries(found as Stored).filter(([, draft]) => isDraft(draft)));
  } catch {
    return {};
  }
}

const isDraft = (draft: unknown): draft is Stored[string] =>
  typeof draft === 'object' &&
  draft !== null &&
  Object.keys(NO_DRAFT).every((name) => typeof (draft as Record<string, unknown>)[name] === 'string');

const lengthOf = ({ to, cc, subject, text }: Draft): number => (to + cc + subject + text).length;
export const isEmptyDraft = (draft: Draft): boolean => lengthOf(draft) === 0;

/** Keeps the newest drafts that fit. */
export function bounded(drafts: Stored): Stored {
  let together = 0;
  return Object.fromEntries(
    Object.entries(drafts)
      .filter(([, draft]) => !isEmptyDraft(draft) && lengthOf(draft) <= MAX_LENGTH)
      .sort(([, a], [, b]) => b.at - a.at)
      .slice(0, MAX_DRAFTS)
      .filter(([, draft]) => {
        together += lengthOf(draft);
        return together <= MAX_TOGETHER;
      }),
  );
}

function write(person: string, key: string, draft: Draft): void {
  try {
    const next = bounded({ ...read(person), [key]: { ...draft, at: Date.now() } });
    localStorage.setItem(placeOf(person), JSON.stringify(next));
  } catch {
    // No storage, or it is full: the draft lasts as long as the tab.
  }
}

/** Drafts of this tab; those that were changed and not written yet. */
const known = new Map<string, Draft>();
const unwritten = new Map<string, { person: string; key: string }>();
let timer: ReturnType<typeof setTimeout> | undefined;

function writeAll(): void {
  clearTimeout(timer);
  timer = undefined;
  for (const [id, { person, key }] of unwritten) write(person, key, known.get(id) ?? NO_DRAFT);
  unwritten.clear();
}

/** Written when the tab is hidden or closed, too. */
export function keepDraftsOnLeave(): void {
  addEventListener('pagehide', writeAll);
  document.addEventListener('visibilitychange', writeAll);
}

/** The draft under a key, for one person. It survives leaving the place where it was typed, and reloads. */
export function useDraft(
  person: string,
  key: string,
  first: Draft = NO_DRAFT,
): { draft: Draft; change: (part: Partial<Draft>) => void; clear: () => void } {
  const id = `${person} ${key}`;
  const [, show] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id names both
  const stored = useMemo(() => read(person)[key], [id]);
  const [isCleared, setCleared] = useState<string>();
  const draft = known.get(id) ?? (isCleared === id ? undefined : stored) ?? first;
  const put = (next: Draft): void => {
    known.set(id, next);
    unwritten.set(id, { person, key });
    timer ??= setTimeout(writeAll, WRITE_AFTER_MS);
    show((count) => count + 1);
  };
  useEffect(() => writeAll, []);
  return {
    draft,
    change: (part) => put({ ...(known.get(id) ?? draft), ...part }),
    clear: () => {
      known.delete(id);
      unwritten.delete(id);
      write(person, key, NO_DRAFT);
      setCleared(id);
    },
  };
}
