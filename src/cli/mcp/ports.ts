import { unauthorized, unavailable } from '../../base/index.ts';
import type { FleetAddress, FleetClient, GatewayClient } from '../../client/index.ts';
import type { MailOperationName } from '../../domain/index.ts';
import type { McpPorts, RemindersPort } from '../../mcp/index.ts';
import type { Target } from '../../session/index.ts';
import { AGENT_FLAGS, onThisHost, sessionContext, targetOf } from '../agents/target.ts';
import type { Flag, InputOf } from '../command.ts';
import { FLEET_FLAGS, fleetPlace } from '../fleet/access.ts';
import { gatewayOf } from '../gateway/target.ts';
import { askMailOf } from '../mail/agent-door.ts';

/** Which agent, and with which token. */
export const MCP_FLAGS = [...AGENT_FLAGS, ...FLEET_FLAGS] as const satisfies readonly Flag[];

type McpInput = InputOf<typeof MCP_FLAGS>;

/**
 * What the tools of one agent work on: its mail, its requests if it belongs to a fleet, and its reminders if it has a
 * gateway. If the agent is not found, all tools are offered, and each reports what is missing.
 */
export async function mcpPorts(input: McpInput): Promise<McpPorts> {
  const { tickets, mail, reminders } = allPorts(input);
  const agent = await agentOf(input).catch(() => undefined);
  const isMember = !agent || (await ownPlace(input).catch(() => true)) !== undefined;
  const hasGateway = !agent || typeof (await gatewayOf(input, agent)) !== 'string';
  return { mail, ...(isMember && { tickets }), ...(hasGateway && { reminders }) };
}

/** Each call looks everything up again: gateways and tokens come and go. */
function allPorts(input: McpInput): Required<McpPorts> {
  return {
    tickets: async (workspaceId) => {
      const { TicketsClient } = await import('../../client/index.ts');
      return new TicketsClient(await ownFleet(input), workspaceId);
    },
    mail: async (operation, body) =>
      askMailOf(input, await agentOf(input), {
        operation: operation as MailOperationName,
        body,
        caller: 'agent',
      }),
    reminders: async () => {
      const found = await gatewayOf(input, await agentOf(input), 'agent');
      if (typeof found !== 'string') return remindersOf(found);
      throw unavailable(`this agent has no live gateway${found && `: ${found}`}`, {
        hint: 'attach one with "rouse agents gateway attach"',
      });
    },
  };
}

const remindersOf = (gateway: GatewayClient): RemindersPort => ({
  list: () => gateway.reminders(),
  create: (reminder) => gateway.call('reminders.create', { body: { reminders: [reminder] } }),
  remove: (reminder_id) => gateway.call('reminders.delete', { reminder_id }),
});

/**
 * The agent that the flags name, else the one of the manifest in the environment (tools start their MCP servers with a
 * small environment, and outside tmux), else the one of the tmux session.
 */
async function agentOf(input: McpInput): Promise<Target> {
  const { agentName, agentId, currentSession, targetTmuxSession } = input.flags;
  if (agentName || agentId || currentSession || targetTmuxSession) return targetOf(onThisHost(input));
  const { manifestHere, readManifestFacts } = await import('../../session/index.ts');
  const manifest = await manifestHere(sessionContext(input));
  if (!manifest) return targetOf(onThisHost(input));
  const facts = readManifestFacts(manifest);
  const { serverBaseUrl: baseUrl, serverAgentRef: agentRef } = facts;
  return baseUrl && agentRef ? { kind: 'fleet', baseUrl, agentRef, facts } : { kind: 'local', facts };
}

/** A client with the agent's own token. Never with the administrator's: an agent is not an administrator. */
async function ownFleet(input: McpInput): Promise<FleetClient> {
  const { fleetClientOf } = await import('../../client/index.ts');
  const place = await ownPlace(input);
  if (place) return fleetClientOf(place);
  throw unauthorized('this agent is not registered with a fleet server', {
    hint: 'launch it with ROUSE_FLEET_URL set, or name a token file in ROUSE_FLEET_TOKEN_FILE',
  });
}

/** The file of the agent's token: of its fleet, else the one for its own tools, which is created if missing. */
export async function ownTokenFile(input: McpInput): Promise<string> {
  const place = await ownPlace(input);
  if (place) return place.tokenFile;
  const { agentTokenFile, ensureAgentToken } = await import('../../client/index.ts');
  const { facts } = await agentOf(input);
  if (!facts)
    throw unauthorized('MCP over HTTP needs a token, and this agent has none on this host', {
      hint: 'name a token file in ROUSE_FLEET_TOKEN_FILE, or use standard input: "rouse mcp"',
    });
  ensureAgentToken(facts.root);
  return agentTokenFile(facts.root);
}

async function ownPlace(input: McpInput): Promise<FleetAddress | undefined> {
  const { sessionFleet } = await import('../../client/index.ts');
  if (!input.flags.fleetUrl && !input.flags.fleetTokenFile) {
    const agent = await agentOf(input).catch(() => undefined);
    const session = agent?.facts && sessionFleet(agent.facts.root);
    if (session) return session;
    if (!input.env['ROUSE_FLEET_TOKEN_FILE']) return undefined;
  }
  return fleetPlace(input);
}
