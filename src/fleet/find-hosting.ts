import { unsupported } from '../base/index.ts';
import type { Hosting } from './hosting.ts';
import * as list from './hosting-list.ts';

const HOSTINGS: readonly Hosting[] = Object.values(list);

/** Undefined where servers own no agents. */
export const findHosting = (): Hosting | undefined => HOSTINGS[0];

/** For an agent that a server owns. */
export function requireHosting(): Hosting {
  const found = findHosting();
  if (!found) throw unsupported('agents whose turns a server runs are not served here');
  return found;
}
