import type { Emitter } from '../base/index.ts';
import type { CaoTyped } from '../cao/index.ts';
import type { Reason } from '../domain/index.ts';
import type { OwnerView } from './port.ts';
import type { Sight } from './watch/sight.ts';

/**
 * A server that owns the agent's terminal. It gives a second opinion on whether the agent may be disturbed, and what begins
 * or ends a turn is typed by it, so that it knows of the turn. What it says of its typing is never proof.
 */
export interface Owner {
  start(): Promise<void>;
  close(): void;
  /** What it says has changed. */
  readonly changed: Emitter<void>;
  /** Told whether our own sight is ready. */
  noteReady(ready: boolean): void;
  /** What it says, or its place, speaks against typing; as far as is known. */
  doubts(sight: Sight): Reason[];
  /** Asks it now. */
  ask(): Promise<void>;
  /** Why it cannot type this text at all. */
  refusals(text: string): string[];
  /** Pastes the text and presses Enter, in one go. Never repeated. */
  submit(text: string): Promise<CaoTyped>;
  /** Undefined when it has no way to press this key. */
  press(key: string): Promise<CaoTyped | undefined>;
  /** A key was pressed that it does not know of. */
  pressedBehind(): Promise<void>;
  view(sight: Sight): OwnerView;
}
