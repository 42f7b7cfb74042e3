import type { Facts, Instant, TurnState } from '../../screen/index.ts';
import type { Foreground } from './foreground.ts';
import type { PaneView } from './pane-watch.ts';
import type { PersonFacts } from './person.ts';

/** Everything known at one instant, and what follows from it. */
export interface Snapshot {
  /** The last look; undefined while the terminal is out of reach. */
  view: PaneView | undefined;
  /** Why it is out of reach. */
  away: string | undefined;
  lost: boolean;
  foreground: Foreground;
  people: PersonFacts;
  facts: Facts;
  turn: TurnState;
  at: Instant;
}
