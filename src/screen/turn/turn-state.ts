import type { Phase } from '../facts.ts';

export interface Instant {
  /** Monotonic milliseconds. */
  ms: number;
  utc: string;
}

export type TurnResult = 'success' | 'interrupted' | 'known_failure' | 'none';
export type TurnSource = 'explicit_input' | 'surface_inference' | 'none';

/** A turn we have reason to think of: a prompt was noted, or activity was seen. */
export interface Anchor {
  source: Exclude<TurnSource, 'none'>;
  sinceMs: number;
  /** What the last turn looked like when this one began: an outcome on that same picture belongs to the old one. */
  signature: string;
  /** Activity was seen since. */
  seen: boolean;
  /** … and beyond doubt: more than a prompt without an answer, or a start that was reported. */
  sure?: boolean;
  /** The tool itself said that it works on it. */
  busyReported?: boolean;
}

export interface Transition {
  recorded_at_utc: string;
  summary: string;
  changed_fields: string[];
}

/** Where the agent's turn stands. Immutable: each step makes a new one. */
export interface TurnState {
  phase: Phase;
  lastTurn: { result: TurnResult; source: TurnSource; updated_at_utc: string | null };
  anchor: Anchor | null;
  /** A finished-looking turn that has to stay so for a while. */
  settling: { signature: string; sinceMs: number } | null;
  /** The tool itself said that the last turn ended; it need not look finished for a while. */
  endReported: boolean;
  stability: { signature: string; sinceMs: number; sinceUtc: string | null };
  /** When doubtful evidence of a turn was overruled by a still, empty composer. */
  overruledAtMs: number | null;
  /** The usage limit in sight: its notice, and when it ends. The notice stays on the screen after that. */
  limit: { text: string; endsMs: number } | null;
  /** Since when the tool's screen has not been recognised. */
  unreadableSinceMs: number | null;
  /** It has been so for long. A label for people; nothing is decided by it. */
  stalled: boolean;
  /** At most 24, newest last. */
  transitions: readonly Transition[];
  /** What the last transition was measured against. */
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
  limit: null,
  unreadableSinceMs: null,
  stalled: false,
  transitions: [],
  shown: {},
};
