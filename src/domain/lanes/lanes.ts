import type { Standing } from '../standing.ts';
import type { KeptState } from './kept-state.ts';

/** The time that lanes show, in cells of equal length. */
export interface LaneTime {
  fromMs: number;
  toMs: number;
  cells: number;
}

/** Cells in which an agent was in one state. */
export interface LaneSpan {
  from: number;
  cells: number;
  state: Standing['state'];
  words: string;
}

/** A person must see that they were needed, so it wins a cell with a quarter of it. */
const WEIGHT: Partial<Record<Standing['state'], number>> = { needs_you: 4 };

interface Look {
  state: Standing['state'];
  words: string;
}

/**
 * The states of an agent as one lane: each cell has the state that filled most of it. At most one span per cell, however
 * many changes there were. Before the first state nothing is known, so there is no span.
 */
export function laneOf(states: readonly KeptState[], { fromMs, toMs, cells }: LaneTime): LaneSpan[] {
  const lane = new Lane();
  const perCell = (toMs - fromMs) / cells;
  for (const [at, { at_ms, state, words }] of states.entries()) {
    const begin = (Math.max(at_ms, fromMs) - fromMs) / perCell;
    const end = (Math.min(states[at + 1]?.at_ms ?? toMs, toMs) - fromMs) / perCell;
    if (end > begin) lane.add({ state, words }, begin, end);
  }
  return lane.end();
}

class Lane {
  readonly #spans: LaneSpan[] = [];
  #cell = 0;
  #inCell = new Map<string, { look: Look; weight: number }>();

  add(look: Look, begin: number, end: number): void {
    const first = Math.floor(begin);
    if (first !== this.#cell) this.#close(first);
    const last = Math.floor(end);
    if (last === first) {
      this.#weigh(look, end - begin);
      return;
    }
    this.#weigh(look, first + 1 - begin);
    this.#close(first + 1);
    if (last > first + 1) this.#append(look, first + 1, last - first - 1);
    this.#cell = last;
    if (end > last) this.#weigh(look, end - last);
  }

  end(): LaneSpan[] {
    this.#close(this.#cell);
    return this.#spans;
  }

  #weigh(look: Look, part: number): void {
    const key = `${look.state} ${look.words}`;
    const known = this.#inCell.get(key) ?? { look, weight: 0 };
    known.weight += part * (WEIGHT[look.state] ?? 1);
    this.#inCell.set(key, known);
  }

  /** Decides the current cell, and goes on at `next`. */
  #close(next: number): void {
    let best: { look: Look; weight: number } | undefined;
    for (const each of this.#inCell.values()) if (!best || each.weight > best.weight) best = each;
    if (best) this.#append(best.look, this.#cell, 1);
    this.#inCell.clear();
    this.#cell = next;
  }

  #append({ state, words }: Look, from: number, cells: number): void {
    const last = this.#spans.at(-1);
    if (last && last.state === state && last.words === words && last.from + last.cells === from)
      last.cells += cells;
    else this.#spans.push({ from, cells, state, words });
  }
}
