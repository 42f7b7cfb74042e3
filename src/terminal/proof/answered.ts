import type { LaneContext } from '../lane-context.ts';
import type { PaneView } from '../watch/pane-watch.ts';
import { unreadInput } from '../watch/unread-input.ts';
import { fingerprint } from './fingerprint.ts';

/** When something was typed (monotonic), and what the screen showed just before. */
export interface Typed {
  atMs: number;
  screen: string;
}

/** A short form of a screen: its size and a digest of its text. */
export function screenDigest({ screen, pane }: PaneView): string {
  const shown = screen.rows.map(({ text }) => text.trimEnd()).join('\n');
  const { sha256 } = fingerprint(`${pane.cursorX},${pane.cursorY}\n${shown}`);
  return `${pane.width}x${pane.height} ${sha256}`;
}

/** Whether the screen differs from that one. At another size the terminal itself may have moved the text. */
export function hasMoved(view: PaneView, before: string): boolean {
  const now = screenDigest(view);
  return now !== before && now.split(' ')[0] === before.split(' ')[0];
}

/**
 * The tool has drawn since then, and no input waits to be read: it has seen the typed text, whatever it shows of it. A
 * silent tool may still act on it.
 */
export function hasAnswered({ watch, tracker }: LaneContext, typed: Typed): boolean {
  const { view } = tracker.snapshot;
  if (!view) return false;
  const drawn = watch.outputAtMs > typed.atMs || hasMoved(view, typed.screen);
  return drawn && (unreadInput(view.pane.tty) ?? 0) === 0;
}
