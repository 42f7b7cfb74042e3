import { type CodeOf, codesWith } from './table.ts';

interface StateRow {
  words: string;
  /** Accepted and not over: it counts in the queue depth and is never pruned. */
  live: boolean;
}

/** The five states of the contract. The outcome is more exact about how a request ended. */
export const REQUEST_STATES = {
  accepted: { words: 'queued', live: true },
  running: { words: 'running', live: true },
  completed: { words: 'completed', live: false },
  failed: { words: 'failed', live: false },
  coalesced: { words: 'coalesced', live: false },
} as const satisfies Record<string, StateRow>;

export type RequestState = CodeOf<typeof REQUEST_STATES>;

export const LIVE_REQUESTS = codesWith(REQUEST_STATES, 'live');
