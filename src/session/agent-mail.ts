import { conflict, isRouseError, notFound } from '../base/index.ts';
import { GatewayClient } from '../client/index.ts';
import { agentAddress, agentPrincipal, LOOPBACK } from '../domain/index.ts';
import { describeMailbox, isMailboxActive, type UnregisterMode, unbindMailbox } from '../mail/index.ts';
import type { AnswerOf, MANAGED_AGENT_ROUTES, MailboxBinding } from '../wire/index.ts';
import { bindAgentMailbox, isRemoteMailbox, mailSurroundings, type WantedMailbox } from './bind-mailbox.ts';
import { readToken } from './records/gateway-token.ts';
import { probeGateway } from './records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from './records/manifest-facts.ts';
import { readManifest, updateManifest } from './records/manifest-store.ts';
import { sessionPaths } from './records/session-paths.ts';
import type { SessionContext } from './session-context.ts';
import { publishCapability } from './target/publish-capability.ts';

type Fields = Record<string, unknown>;
type LiveMail = AnswerOf<(typeof MANAGED_AGENT_ROUTES)['agents.mail.live']>;

export interface RegisterMailbox extends WantedMailbox {
  principalId?: string | undefined;
  mode?: 'safe' | 'force' | 'stash' | undefined;
}

/** The binding of the agent's manifest, and whether its mailbox still is what it says. */
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

/** Gives a running agent a mailbox; nothing needs to be relaunched. */
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
      // On a server it says which mailbox the agent has, not whose the address is.
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

/** Where the agent's mail is, and the gateway that serves it now, if one does. */
export async function resolveLiveMail(context: SessionContext, manifestPath: string): Promise<LiveMail> {
  const facts = readManifestFacts(manifestPath);
  const binding = requireBinding(facts);
  if (!(await isMailboxActive(binding, mailSurroundings(context.clock)))) {
    throw conflict(`the mailbox ${binding.address} is no longer what the manifest says`, {
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

/** A door that is closed to the agent's own programs, which have no token, is not named to them. */
async function wantsToken(host: string, port: number): Promise<boolean> {
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
  // Beyond loopback it serves no mail; commands reach the store itself.
  if (host !== LOOPBACK || (token && (await wantsToken(host, port)))) return null;
  return {
    source: 'current_instance',
    host,
    port,
    base_url: `http://${host}:${port}`,
    protocol_version: 'v1',
    state_path: paths.state,
  };
}
