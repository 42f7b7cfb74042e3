import type { PageAgentRow, PageNeed } from '../../../wire/index.ts';
import { localRow, type SeenAgent } from './agent-rows.ts';
import { needsOfAgent } from './needs.ts';

/** One agent as pages show it. */
export interface ShownAgent {
  row: PageAgentRow;
  /** What makes a row another one. Its chart is told again as its newest bar grows old. */
  signature: string;
  needs: readonly PageNeed[];
}

interface Made extends ShownAgent {
  seen: SeenAgent;
  minute: number;
}

const NONE: readonly PageNeed[] = [];

/** So many minutes a chart may be behind. */
const CHART_STEP = 5;

/** The agents of this host. Of many few change at once: what nothing changed of stays the same object. */
export class ShownAgents {
  readonly #made = new Map<string, Made>();

  get all(): ReadonlyMap<string, ShownAgent> {
    return this.#made;
  }

  /** One of them again: its row when its facts or the minute are others, what it needs in any case, which time alone can change. */
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

/** What is read again is another object. */
const sameFacts = (a: SeenAgent, b: SeenAgent): boolean =>
  a.agent === b.agent &&
  a.place === b.place &&
  a.activity === b.activity &&
  a.fleet === b.fleet &&
  a.seenAt === b.seenAt;

/** The old ones when the new ones say the same. */
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
