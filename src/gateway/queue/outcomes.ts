import type { RequestState } from '../../domain/index.ts';
import type { OUTCOME_CODES } from '../../wire/index.ts';

/** How a request can end; wire/codes.ts has the exit code of each. */
export type Outcome = keyof typeof OUTCOME_CODES;

/** What an outcome is on the wire, where the contract knows five states. */
export const WIRE_STATES: Readonly<Record<Outcome, RequestState>> = {
  /** Proven: the tool took the prompt. */
  submitted: 'completed',
  /** Typed, but the proof is missing. Never counted as done, never typed again. */
  unconfirmed: 'failed',
  failed: 'failed',
  /** The tool would not take it as written, or the target cannot do it. */
  refused: 'failed',
  expired: 'failed',
  cancelled: 'failed',
  /** Its reason had gone when it was about to be typed; nothing was typed. */
  superseded: 'failed',
  /** A stronger control intent beside it did its work. */
  coalesced: 'coalesced',
};
