import { fillPath } from '../wire/place.ts';
import { carriedPath } from '../wire/places.ts';
import { segment } from './question.ts';

/** Where a fleet server serves the paths of this agent's gateway. */
export function fleetPath(agentRef: string): (path: string) => string {
  const ref = segment(agentRef, 'agent ref');
  return (path) => fillPath(carriedPath(path), () => ref);
}
