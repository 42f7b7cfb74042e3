import { type Ending, messageOf } from '../../base/index.ts';
import { FleetLink, type FleetLinkDependencies } from './fleet-link.ts';
import { readMembership } from './membership.ts';

/**
 * The line of an agent that was registered with a fleet server; undefined for any other. Files nobody can read are told
 * in the log: the gateway works without.
 */
export function joinFleet(
  on: Omit<FleetLinkDependencies, 'membership' | 'readMembership'>,
  sessionRoot: string,
  ending: Ending,
): FleetLink | undefined {
  try {
    const membership = readMembership(sessionRoot);
    if (!membership) return undefined;
    const link = new FleetLink({ ...on, membership, readMembership: () => readMembership(sessionRoot) });
    ending.add(() => link.leave());
    for (const loop of link.loops) ending.add(() => loop.stop());
    return link;
  } catch (error) {
    on.log.error('the fleet server of this agent is not known', { cause: messageOf(error) });
    return undefined;
  }
}
