import type { ErrorCode } from '../../base/index.ts';
import type { RequestState } from '../../domain/index.ts';

/**
 * How a request can end, what that is on the wire, and the error code that gives a waiting command its exit code.
 * docs/states.md holds the same table for people.
 */
export const OUTCOMES = {
  /** Proven: the tool took the prompt. */
  submitted: { state: 'completed', code: null },
  /** Typed, but the proof is missing. Never counted as done, never typed again. */
  unconfirmed: { state: 'failed', code: 'unavailable' },
  failed: { state: 'failed', code: 'internal' },
  /** The tool would not take it as written, or the target cannot do it. */
  refused: { state: 'failed', code: 'unsupported' },
  expired: { state: 'failed', code: 'not_ready' },
  cancelled: { state: 'failed', code: 'conflict' },
  /** Its reason had gone when it was about to be typed; nothing was typed. */
  superseded: { state: 'failed', code: 'conflict' },
  /** A stronger control intent beside it did its work. */
  coalesced: { state: 'coalesced', code: null },
} as const satisfies Record<string, { state: RequestState; code: ErrorCode | null }>;

export type Outcome = keyof typeof OUTCOMES;
