import { type CodeOf, codesWith } from './table.ts';

interface StateRow {
  words: string;
  /** Accepted and not over: it counts in the depth of the queue, and is never pruned. */
  live: boolean;
}

/** The five states of the contract. How a request ended in detail is its outcome. */
export const REQUEST_STATES = {
  accepted: { words: 'queued', live: true },
  running: { words: 'running', live: true },
  completed: { words: 'completed', live: false },
  failed: { words: 'failed', live: false },
  coalesced: { words: 'coalesced', live: false },
} as const satisfies Record<string, StateRow>;

export type RequestState = CodeOf<typeof REQUEST_STATES>;

export const LIVE_REQUESTS = codesWith(REQUEST_STATES, 'live');
