import type { Habits } from './tui/skin.ts';

/** Faults armed from outside. Nothing is armed at the start. */
export class Faults {
  /** Enters that will be lost while something stands in the composer. */
  swallowEnters = 0;
  /** Prompts that will vanish: the composer empties as if they had been sent, and nothing was received. */
  losePrompts = 0;
  /** Pastes that will be lost. */
  ignorePastes = 0;
  /** Longer pastes are lost. */
  pasteLimit: number | undefined;
  /** Every frame comes this much later. */
  slowRedrawMs = 0;
  /** The draft is shown this much later than it was taken. */
  echoLateMs = 0;
  /** The list of commands shows others first, and what fits the draft only this much later. */
  menuLateMs = 0;
  /** A turn shows only this long after it began. */
  busyLagMs = 0;
  /** Replaces the skin's own habit. */
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
