import type { Clock, Log } from '../base/index.ts';
import type { Expectation } from '../tmux/index.ts';
import type { LaneNotes } from './lane/lane-attempt.ts';
import type { Owner } from './owner.ts';
import type { Evidence } from './port.ts';
import type { PaneView, PaneWatch } from './watch/pane-watch.ts';
import type { Tracker } from './watch/tracker.ts';

/** How long the lane waits for what. Running out of time is never a success. */
export interface LanePatience {
  /** For the lane lock, while another process types. */
  lockMs: number;
  /** For a paste to be shown, and per 64 KiB of it. */
  echoMs: number;
  /** For a paste that is not shown by a tool that draws, until it counts as lost. */
  lostMs: number;
  /** For a dialog to go, or a menu to close, before Enter. */
  clearMs: number;
  /** Before an Enter that changed nothing is pressed again, with and without a signal of the tool that says idle. */
  swallowedMs: { told: number; untold: number };
  /** For proof after an Enter. */
  proofMs: number;
  /** For a key that edits the composer to show. */
  editMs: number;
  /** For a new chat to be ready. */
  resetMs: number;
  interruptMs: number;
}

export const DEFAULT_PATIENCE: LanePatience = {
  lockMs: 10_000,
  echoMs: 5_000,
  lostMs: 30_000,
  clearMs: 3_000,
  swallowedMs: { told: 700, untold: 2_500 },
  proofMs: 8_000,
  editMs: 700,
  resetMs: 15_000,
  interruptMs: 3_000,
};

export interface LaneContext {
  tracker: Tracker;
  watch: PaneWatch;
  clock: Clock;
  log: Log;
  patience: LanePatience;
  /** The server that owns the terminal, where there is one: it types what begins or ends a turn. */
  owner?: Owner | undefined;
  /** Where the lane keeps how far it came. */
  notes: LaneNotes;
}

export function evidenceAt(clock: Clock, source: string, facts: Record<string, unknown>): Evidence {
  return { source, atUtc: clock.now().toISOString(), facts };
}

/** What must not have changed since this look, checked by tmux in the instant of typing. */
export function sameAs({ pane }: PaneView): Expectation {
  const { pid, cursorX, cursorY, cursorVisible, alternateOn, sessionActivity } = pane;
  return { pid, cursorX, cursorY, cursorVisible, alternateOn, sessionActivity };
}
