import type { Clock, Log } from '../base/index.ts';
import type { Expectation } from '../tmux/index.ts';
import type { LaneNotes } from './lane/lane-attempt.ts';
import type { Owner } from './owner.ts';
import type { Evidence, HeldBack, Hold } from './port.ts';
import type { PaneView, PaneWatch } from './watch/pane-watch.ts';
import type { Tracker } from './watch/tracker.ts';

/** How long the lane waits. A timeout is never a success. */
export interface LanePatience {
  /** For the lane lock, while another process types. */
  lockMs: number;
  /** For a paste to be shown, and per 64 KiB of it. */
  echoMs: number;
  /** Until a paste that a drawing tool does not show counts as lost. */
  lostMs: number;
  /** For a dialog or menu to close before Enter. */
  clearMs: number;
  /** Before an Enter without effect is pressed again, with and without an idle signal from the tool. */
  swallowedMs: { withIdleSignal: number; withoutIdleSignal: number };
  /** For proof after an Enter. */
  proofMs: number;
  /** For the effect of an editing key to show in the composer. */
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
  swallowedMs: { withIdleSignal: 700, withoutIdleSignal: 2_500 },
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
  /** The server that owns the terminal, if there is one: it types what begins or ends a turn. */
  owner?: Owner | undefined;
  /** Where the lane stores its progress. */
  notes: LaneNotes;
  /** Holds what is automatic; undefined where nothing is. */
  hold?: Hold | undefined;
}

/** Runs one act of typing for a delivery, unless it is automatic and the agent is paused. */
export function typeUnlessHeld<T>(
  { hold }: Pick<LaneContext, 'hold'>,
  { automatic }: { automatic?: boolean },
  act: () => Promise<T>,
): Promise<T | HeldBack> {
  return hold && automatic ? hold.unlessHeld(act) : act();
}

/** Why a delivery must wait for a person; undefined if it need not. */
export function heldReason(
  { hold }: Pick<LaneContext, 'hold'>,
  { automatic }: { automatic?: boolean },
): string | undefined {
  return automatic ? hold?.reason() : undefined;
}

export function evidenceAt(clock: Clock, source: string, facts: Record<string, unknown>): Evidence {
  return { source, atUtc: clock.now().toISOString(), facts };
}

/** What must not have changed since this look; tmux checks it at the instant of typing. */
export function sameAs({ pane }: PaneView): Expectation {
  const { pid, cursorX, cursorY, cursorVisible, alternateOn, sessionActivity } = pane;
  return { pid, cursorX, cursorY, cursorVisible, alternateOn, sessionActivity };
}
