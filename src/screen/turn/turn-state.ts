import type { LastTurnResult, TurnPhase, TurnSource } from '../../domain/index.ts';

export interface Instant {
  /** Monotonic milliseconds. */
  ms: number;
  utc: string;
}

/** A possible turn: a prompt was noted, or activity was seen. */
export interface Anchor {
  source: Exclude<TurnSource, 'none'>;
  sinceMs: number;
  /** The signature of the last turn when this one began: an outcome with that same signature belongs to the old turn. */
  signature: string;
  /** Activity was seen since then. */
  seen: boolean;
  /** … for certain: more than a prompt without an answer or a reported start. */
  sure?: boolean;
  /** The tool reported that it works on it. */
  busyReported?: boolean;
}

export interface Transition {
  recorded_at_utc: string;
  summary: string;
  changed_fields: string[];
}

/** The state of the agent's turn. Immutable: each step makes a new one. */
export interface TurnState {
  phase: TurnPhase;
  lastTurn: { result: LastTurnResult; source: TurnSource; updated_at_utc: string | null };
  anchor: Anchor | null;
  /** A turn that looks finished, and must keep looking so for a while. */
  settling: { signature: string; sinceMs: number } | null;
  /** The tool reported the end of the last turn, so the turn need not look finished for a while. */
  endReported: boolean;
  stability: { signature: string; sinceMs: number; sinceUtc: string | null };
  /** When a still, empty composer overruled doubtful evidence of a turn. */
  overruledAtMs: number | null;
  /** Since when the tool's screen has not been recognised. */
  unreadableSinceMs: number | null;
  /** The screen has been unrecognised for long. A label for people; nothing is decided by it. */
  stalled: boolean;
  /** At most 24, newest last. */
  transitions: readonly Transition[];
  /** The state with which the last transition was compared. */
  shown: Readonly<Record<string, string>>;
}

export const NO_TURN: TurnState = {
  phase: 'unknown',
  lastTurn: { result: 'none', source: 'none', updated_at_utc: null },
  anchor: null,
  settling: null,
  endReported: false,
  stability: { signature: '', sinceMs: 0, sinceUtc: null },
  overruledAtMs: null,
  unreadableSinceMs: null,
  stalled: false,
  transitions: [],
  shown: {},
};
