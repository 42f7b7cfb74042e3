import { fillPath } from '../wire/place.ts';
import { carriedPath } from '../wire/places.ts';
import { segment } from './question.ts';

/** Maps a path of this agent's gateway to the path where a fleet server serves it. */
export function fleetPath(agentRef: string): (path: string) => string {
  const ref = segment(agentRef, 'agent ref');
  return (path) => fillPath(carriedPath(path), () => ref);
}
