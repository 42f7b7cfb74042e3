import type { Clock } from '../base/index.ts';
import { agentAddress, agentPrincipal, parseAddress } from '../domain/index.ts';
import { type Bound, bindMailbox } from '../mail/index.ts';

export interface AgentMailboxRequest {
  /** A mail store, or whatever else a transport knows as the place of a mailbox. */
  root: string;
  agentName: string;
  manifestPath: string;
  address?: string | undefined;
  principalId?: string | undefined;
  mode?: 'safe' | 'force' | 'stash' | undefined;
  role?: string | undefined;
}

/** Registers the agent's mailbox in the store, which is made when it is not there, and says how to find it. */
export async function bindAgentMailbox(request: AgentMailboxRequest, clock: Clock): Promise<Bound> {
  const { root, agentName, manifestPath, address, principalId, mode = 'safe', role } = request;
  return bindMailbox(
    {
      place: root,
      address: address ? parseAddress(address, '--mailbox-address') : agentAddress(agentName),
      principal_id: principalId ?? agentPrincipal(agentName),
      bindings_version: bindingsVersion(clock.now()),
      mode,
      agentName,
      manifestPath,
      role,
    },
    clock,
  );
}

/** A stamp with microseconds, so that two bindings of one second differ. */
function bindingsVersion(now: Date): string {
  const micros = String(Number(process.hrtime.bigint() % 1000n)).padStart(3, '0');
  return now.toISOString().replace('Z', `${micros}Z`);
}
