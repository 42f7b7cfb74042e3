import type { LaneContext } from '../lane-context.ts';
import type { PaneView } from '../watch/pane-watch.ts';
import { unreadInput } from '../watch/unread-input.ts';
import { fingerprint } from './fingerprint.ts';

/** Something was typed: when (monotonic), and what the screen showed just before. */
export interface Typed {
  atMs: number;
  screen: string;
}

/** A screen in short: its size, and a digest of what stands on it. */
export function screenDigest({ screen, pane }: PaneView): string {
  const shown = screen.rows.map(({ text }) => text.trimEnd()).join('\n');
  const { sha256 } = fingerprint(`${pane.cursorX},${pane.cursorY}\n${shown}`);
  return `${pane.width}x${pane.height} ${sha256}`;
}

/** Something else stands on the screen than did then. In another size the terminal itself has moved what was there. */
export function hasMoved(view: PaneView, before: string): boolean {
  const now = screenDigest(view);
  return now !== before && now.split(' ')[0] === before.split(' ')[0];
}

/**
 * The tool has drawn since, and nothing typed waits to be read: it has seen what was typed, whatever it shows of it. Of
 * one that is silent nobody can say whether it will still act.
 */
export function hasAnswered({ watch, tracker }: LaneContext, typed: Typed): boolean {
  const { view } = tracker.sight;
  if (!view) return false;
  const drawn = watch.outputAtMs > typed.atMs || hasMoved(view, typed.screen);
  return drawn && (unreadInput(view.pane.tty) ?? 0) === 0;
}
