import { type Clock, conflict, invalid, isRouseError, notFound, RouseError } from '../base/index.ts';
import { fleetMail, GatewayClient } from '../client/index.ts';
import {
  agentAddress,
  agentPrincipal,
  LOOPBACK,
  parseAddress,
  type RegisterMode,
  type UnregisterMode,
} from '../domain/index.ts';
import {
  type Bound,
  bindMailbox,
  describeMailbox,
  isMailboxActive,
  type MailSurroundings,
  unbindMailbox,
} from '../mail/index.ts';
import { transportNamed } from '../mail/transports.ts';
import type { AnswerOf, MANAGED_AGENT_ROUTES, MailboxBinding } from '../wire/index.ts';
import { publishCapability } from './gateway/publish.ts';
import { probeGateway } from './records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from './records/manifest-facts.ts';
import { readManifest, updateManifest } from './records/manifest-store.ts';
import { readToken, sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';

type Fields = Record<string, unknown>;
type LiveMail = AnswerOf<(typeof MANAGED_AGENT_ROUTES)['agents.mail.live']>;

export interface RegisterMailbox extends WantedMailbox {
  principalId?: string | undefined;
  mode?: RegisterMode | undefined;
}

/** The binding in the agent's manifest, and whether its mailbox still exists as recorded. */
export async function mailboxStatus(context: SessionContext, facts: ManifestFacts): Promise<Fields> {
  const binding = readManifest(facts.root).launch_plan.mailbox ?? null;
  return {
    agent_name: facts.agentName,
    agent_id: facts.agentId,
    registered: binding !== null,
    activation_state: binding && (await isActive(context, binding)) ? 'active' : null,
    mailbox: binding,
  };
}

async function isActive(context: SessionContext, binding: MailboxBinding): Promise<boolean> {
  try {
    return await isMailboxActive(binding, mailSurroundings(context.clock));
  } catch {
    return false;
  }
}

/** Adds a mailbox to a running agent. No relaunch is needed. */
export async function registerMailbox(
  context: SessionContext,
  facts: ManifestFacts,
  wanted: RegisterMailbox,
): Promise<Fields> {
  const before = readManifest(facts.root).launch_plan.mailbox;
  const isRemote = isRemoteMailbox(wanted);
  const address = wanted.address ?? (isRemote ? undefined : agentAddress(facts.agentName));
  const isAnother =
    before && (isRemote !== isRemoteMailbox(before) || (address ?? before.address) !== before.address);
  if (isAnother && wanted.mode !== 'force') {
    throw conflict(`agent ${facts.agentName} already has the mailbox ${before.address}`, {
      hint: 'unregister it first, or use --mode force to bind another',
      facts: { cause: 'already_bound', address: before.address },
    });
  }
  const { binding, reused } = await bindAgentMailbox(
    {
      root: wanted.root ?? context.settings.mailboxDir,
      transport: wanted.transport,
      address,
      principalId: wanted.principalId ?? agentPrincipal(facts.agentName),
      // On a server, the mode is about which mailbox the agent has, not about who owns the address.
      mode: isRemote && wanted.mode === 'force' ? 'safe' : wanted.mode,
      agentName: facts.agentName,
      manifestPath: facts.path,
    },
    context.clock,
  );
  await writeBinding(context, facts, binding);
  return { agent_name: facts.agentName, registered: true, reused_existing: reused, mailbox: binding };
}

export async function unregisterMailbox(
  context: SessionContext,
  facts: ManifestFacts,
  mode: UnregisterMode,
): Promise<Fields> {
  const binding = requireBinding(facts);
  const result = await unbindMailbox(binding, mode, mailSurroundings(context.clock));
  await writeBinding(context, facts, null);
  return { agent_name: facts.agentName, registered: false, address: binding.address, ...result };
}

async function writeBinding(
  context: SessionContext,
  facts: ManifestFacts,
  mailbox: MailboxBinding | null,
): Promise<void> {
  await updateManifest(facts.root, context.clock, (manifest) => ({
    ...manifest,
    launch_plan: { ...manifest.launch_plan, mailbox },
  }));
  await publishCapability(context, facts.path);
}

function requireBinding(facts: ManifestFacts): MailboxBinding {
  const binding = readManifest(facts.root).launch_plan.mailbox;
  if (binding) return binding;
  throw notFound(`agent ${facts.agentName} has no mailbox`, {
    hint: '"rouse agents mailbox register" gives it one',
    facts: { cause: 'no_binding' },
  });
}

/** Where the agent's mail is, and the gateway that serves it now, if any. */
export async function resolveLiveMail(context: SessionContext, manifestPath: string): Promise<LiveMail> {
  const facts = readManifestFacts(manifestPath);
  const binding = requireBinding(facts);
  if (!(await isMailboxActive(binding, mailSurroundings(context.clock)))) {
    throw conflict(`the mailbox ${binding.address} no longer exists as the manifest records it`, {
      hint: '"rouse agents mailbox register" binds it again',
      facts: { cause: 'stale_binding', address: binding.address },
    });
  }
  const gateway = await liveGateway(context, facts);
  const { transport, principal_id, address, bindings_version } = binding;
  return {
    schema_version: 1,
    source: 'manifest_binding',
    transport,
    principal_id,
    address,
    bindings_version,
    mailbox: { transport, principal_id, address, bindings_version, ...(await describeMailbox(binding)) },
    gateway,
    gateway_available: gateway !== null,
    managed_agent: {
      mode: 'local',
      agent_ref: facts.agentId,
      tracked_agent_id: null,
      agent_name: facts.agentName,
      agent_id: facts.agentId,
      tmux_session_name: facts.tmuxSessionName,
    },
  };
}

/** Whether the gateway requires a token. The agent's own programs have none, so such a gateway is not offered to them. */
async function requiresToken(host: string, port: number): Promise<boolean> {
  const asked = new GatewayClient({ host, port }).status();
  return asked.then(
    () => false,
    (error: unknown) => isRouseError(error) && error.code === 'unauthorized',
  );
}

async function liveGateway(context: SessionContext, facts: ManifestFacts): Promise<LiveMail['gateway']> {
  const paths = sessionPaths(facts.root);
  const token = readToken(paths, context.env);
  const life = await probeGateway(paths, token);
  if (life.life !== 'live') return null;
  const { host, port } = life.gateway;
  // Beyond loopback it serves no mail; commands access the store directly.
  if (host !== LOOPBACK || (token && (await requiresToken(host, port)))) return null;
  return {
    source: 'current_instance',
    host,
    port,
    base_url: `http://${host}:${port}`,
    protocol_version: 'v1',
    state_path: paths.state,
  };
}

export interface AgentMailboxRequest {
  /** A mail store, or another place that a transport accepts. */
  root: string;
  /** Default: the transport of the place. */
  transport?: string | undefined;
  agentName: string;
  manifestPath: string;
  address?: string | undefined;
  principalId?: string | undefined;
  mode?: RegisterMode | undefined;
  role?: string | undefined;
}

/** What the stores of this host need from outside. */
export const mailSurroundings = (clock: Clock): MailSurroundings => ({ clock, connectFleet: fleetMail });

/** Registers the agent's mailbox in the store, which is made if it is missing, and returns its binding. */
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

/** Whether the fleet server keeps the mailbox. That server must know the agent first. */
export function isRemoteMailbox(wanted: WantedMailbox | false | undefined): boolean {
  return wanted ? transportNamed(wanted.transport)?.isRemote === true : false;
}

/** Checked before anything starts: without a server, nothing can keep such a mailbox. */
export function requireFleet(
  wanted: WantedMailbox | false | undefined,
  { settings: { fleet } }: Pick<SessionContext, 'settings'>,
): void {
  if (!isRemoteMailbox(wanted) || fleet) return;
  throw invalid('a mailbox with the transport "fleet" needs a fleet server', {
    hint: 'set ROUSE_FLEET_URL and ROUSE_FLEET_TOKEN_FILE, or use the transport "filesystem"',
  });
}

/** An unreachable server does not prevent a start, except for an agent whose mailbox it keeps. */
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

/** A timestamp with microseconds, so that two bindings within a second differ. */
function bindingsVersion(now: Date): string {
  const micros = String(Number(process.hrtime.bigint() % 1000n)).padStart(3, '0');
  return now.toISOString().replace('Z', `${micros}Z`);
}
