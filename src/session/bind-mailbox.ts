import { type Clock, invalid, RouseError } from '../base/index.ts';
import { fleetMail } from '../client/index.ts';
import { agentPrincipal, parseAddress } from '../domain/index.ts';
import { type Bound, bindMailbox, type MailSurroundings } from '../mail/index.ts';
import { transportNamed } from '../mail/transports.ts';
import type { SessionContext } from './session-context.ts';

export interface AgentMailboxRequest {
  /** A mail store, or whatever else a transport knows as the place of a mailbox. */
  root: string;
  /** Default: that of the place. */
  transport?: string | undefined;
  agentName: string;
  manifestPath: string;
  address?: string | undefined;
  principalId?: string | undefined;
  mode?: 'safe' | 'force' | 'stash' | undefined;
  role?: string | undefined;
}

/** What the stores of this host need from outside. */
export const mailSurroundings = (clock: Clock): MailSurroundings => ({ clock, connectFleet: fleetMail });

/** Registers the agent's mailbox in the store, which is made when it is not there, and says how to find it. */
export async function bindAgentMailbox(request: AgentMailboxRequest, clock: Clock): Promise<Bound> {
  const { root, transport, agentName, manifestPath, address, principalId, mode = 'safe', role } = request;
  return bindMailbox(
    {
      place: root,
      transport,
      address: address ? parseAddress(address, '--mailbox-address') : undefined,
      principal_id: principalId ?? agentPrincipal(agentName),
      bindings_version: bindingsVersion(clock.now()),
      mode,
      agentName,
      manifestPath,
      role,
    },
    mailSurroundings(clock),
  );
}

export interface WantedMailbox {
  root?: string | undefined;
  address?: string | undefined;
  transport?: string | undefined;
}

/** Kept by the fleet server, which must know the agent first. */
export function isRemoteMailbox(wanted: WantedMailbox | false | undefined): boolean {
  return wanted ? transportNamed(wanted.transport)?.isRemote === true : false;
}

/** Before anything is started: without a server there is nobody who could keep the mailbox. */
export function requireFleet(
  wanted: WantedMailbox | false | undefined,
  { settings: { fleet } }: Pick<SessionContext, 'settings'>,
): void {
  if (!isRemoteMailbox(wanted) || fleet) return;
  throw invalid('a mailbox with the transport "fleet" needs a fleet server', {
    hint: 'set ROUSE_FLEET_URL and ROUSE_FLEET_TOKEN_FILE, or use the transport "filesystem"',
  });
}

/** A server that is away keeps no agent from starting, but nobody else can keep its mailbox. */
export function requireRegistered(
  wanted: WantedMailbox | false | undefined,
  error: RouseError | undefined,
): void {
  if (!error || !isRemoteMailbox(wanted)) return;
  throw new RouseError(error.code, `the fleet server cannot keep the mailbox: ${error.message}`, {
    hint: error.hint ?? 'start the agent when the server answers, or with --mailbox-transport filesystem',
    facts: error.facts,
    cause: error,
  });
}

/** A stamp with microseconds, so that two bindings of one second differ. */
function bindingsVersion(now: Date): string {
  const micros = String(Number(process.hrtime.bigint() % 1000n)).padStart(3, '0');
  return now.toISOString().replace('Z', `${micros}Z`);
}
