import type { Clock } from '../../base/index.ts';
import type { Tmux } from '../../tmux/index.ts';

export interface PersonFacts {
  /** Attached terminals, each with a person who may be there. */
  attached: number;
  /** A key was pressed in one of them, in the agent's pane, a moment ago. */
  typing: boolean;
}

export const NO_PERSON: PersonFacts = { attached: 0, typing: false };

/** How long the keyboard must have been quiet. tmux reports the time of the last key in whole seconds. */
const QUIET_MS = 2_000;
const RESOLUTION_MS = 1_000;

/** Returns who is attached to the agent's session, and whether they are typing into its pane. */
export async function lookForPeople(
  tmux: Tmux,
  place: { session: string; pane: string },
  clock: Clock,
): Promise<PersonFacts> {
  const people = (await tmux.listClients(place.session)).filter(({ person }) => person);
  const now = clock.now().getTime();
  const typing = people.some(
    ({ paneId, activity, readOnly }) =>
      !readOnly && paneId === place.pane && now - activity.getTime() < QUIET_MS + RESOLUTION_MS,
  );
  return { attached: people.length, typing };
}
