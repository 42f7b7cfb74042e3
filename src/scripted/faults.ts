import type { Habits } from './tui/skin.ts';

/** Faults that are set from outside. At the start there are none. */
export class Faults {
  /** How many Enters will be lost while the composer is not empty. */
  swallowEnters = 0;
  /** How many prompts will vanish: the composer is cleared as if they were sent, but nothing is received. */
  losePrompts = 0;
  /** How many pastes will be lost. */
  ignorePastes = 0;
  /** Longer pastes are lost. */
  pasteLimit: number | undefined;
  /** Every frame is this late. */
  slowRedrawMs = 0;
  /** The draft is shown this much later than it was received. */
  echoLateMs = 0;
  /** The command menu shows other commands first, and the matching ones only this much later. */
  menuLateMs = 0;
  /** A turn becomes visible only this long after it started. */
  busyLagMs = 0;
  /** Replaces the habit of the skin. */
  burst: Habits['burst'] | undefined;

  clear(): void {
    this.swallowEnters = 0;
    this.losePrompts = 0;
    this.ignorePastes = 0;
    this.pasteLimit = undefined;
    this.slowRedrawMs = 0;
    this.echoLateMs = 0;
    this.menuLateMs = 0;
    this.busyLagMs = 0;
    this.burst = undefined;
  }
}
