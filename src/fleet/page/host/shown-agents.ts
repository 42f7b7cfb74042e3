import type { PageAgentRow, PageNeed } from '../../../wire/index.ts';
import { localRow, type SeenAgent } from './agent-rows.ts';
import { needsOfAgent } from './needs.ts';

/** One agent as pages show it. */
export interface ShownAgent {
  row: PageAgentRow;
  /** Changes when the row changes, and as the newest bar of its chart grows old. */
  signature: string;
  needs: readonly PageNeed[];
}

interface CachedAgent extends ShownAgent {
  seen: SeenAgent;
  minute: number;
}

const NONE: readonly PageNeed[] = [];

/** How many minutes a chart may be behind. */
const CHART_STEP = 5;

/** The agents of this host. Few of many change at once: an unchanged agent stays the same object. */
export class ShownAgents {
  readonly #made = new Map<string, CachedAgent>();

  get all(): ReadonlyMap<string, ShownAgent> {
    return this.#made;
  }

  /**
   * Looks at one agent again: makes a new row if its facts or the minute changed; its needs always, because time alone
   * can change them.
   */
  look(seen: SeenAgent, now: Date): void {
    const { id } = seen.agent;
    const minute = Math.floor(now.getTime() / 60_000);
    const before = this.#made.get(id);
    const needs = sameNeeds(before?.needs ?? NONE, needsOfAgent(seen, now));
    if (before?.minute === minute && sameFacts(before.seen, seen)) {
      if (needs !== before.needs) this.#made.set(id, { ...before, needs });
    } else this.#made.set(id, { seen, minute, needs, ...shownRow(localRow(seen, now)) });
  }

  /** Forgets those that are gone. */
  keep(ids: ReadonlyMap<string, unknown>): void {
    for (const id of this.#made.keys()) if (!ids.has(id)) this.#made.delete(id);
  }
}

/** Facts that were read again are a new object. */
const sameFacts = (a: SeenAgent, b: SeenAgent): boolean =>
  a.agent === b.agent &&
  a.place === b.place &&
  a.activity === b.activity &&
  a.fleet === b.fleet &&
  a.seenAt === b.seenAt;

/** Returns the old ones if the new ones are equal. */
export const sameNeeds = (before: readonly PageNeed[], now: readonly PageNeed[]): readonly PageNeed[] =>
  before.length === now.length && (now.length === 0 || JSON.stringify(before) === JSON.stringify(now))
    ? before
    : now;

export function shownRow(row: PageAgentRow): Omit<ShownAgent, 'needs'> {
  const { last_hour, ...rest } = row;
  const { wakes, turns } = last_hour;
  const newest = Math.max(...[wakes, turns].map((counts) => counts.findLastIndex((count) => count > 0)));
  const hour = [Math.ceil((newest + 1) / CHART_STEP), wakes.at(-1), turns.at(-1)];
  return { row, signature: JSON.stringify([rest, ...hour]) };
}
