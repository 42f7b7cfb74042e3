import type { Standing } from '../standing.ts';

/** One past state of an agent, as its gateway kept it; it lasts until the next one. */
export interface KeptState {
  at_ms: number;
  state: Standing['state'];
  words: string;
  /** What a person had to do; null if no one was needed. */
  reason: string | null;
}
