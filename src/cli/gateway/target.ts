import { commandLine, isRouseError, notFound, type RouseError, unavailable } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import { commandIn } from '../../domain/index.ts';
import type { FleetTarget, LocalTarget, Target } from '../../session/index.ts';
import type { Caller } from '../../wire/index.ts';
import { selectorOf, sessionContext, type TargetInput, targetOf } from '../agents/target.ts';
import type { Input } from '../command.ts';

/** The live gateway of the agent the flags name. It never attaches one: without a gateway it throws `unavailable`. */
export async function liveGateway(input: TargetInput): Promise<GatewayClient> {
  const target = await reachable(input);
  const found = await gatewayOf(input, target);
  if (typeof found !== 'string') return found;
  const name = target.kind === 'remote' ? target.agentRef : target.facts?.agentName;
  const attach = `attach one with "${name ? commandLine`rouse agents gateway attach --agent-name ${name}` : 'rouse agents gateway attach'}"`;
  throw unavailable(`there is no live gateway${name ? ` for agent ${name}` : ''}${found && `: ${found}`}`, {
    ...(!commandIn(found) && { hint: attach }),
    facts: { cause: 'no_live_gateway' },
  });
}

/** An agent of another host, which only its fleet reaches. */
export interface RemoteTarget {
  kind: 'remote';
  agentRef: string;
  host: string | null;
  gateway: GatewayClient;
}

/** The agent the flags name: on this host, behind a server, or anywhere in the configured fleet. */
export async function reachable(input: TargetInput): Promise<Target | RemoteTarget> {
  try {
    return await targetOf(input);
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
    return inFleet(input, error);
  }
}

/** Looks in the fleet for an agent that is unknown here. An unreachable fleet is an error, not an unknown agent. */
async function inFleet(input: TargetInput, unknown: RouseError): Promise<RemoteTarget> {
  const { onMachine } = await import('../../session/index.ts');
  const { agentName, agentId, pairPort } = onMachine(sessionContext(input), selectorOf(input));
  const ref = agentId ?? agentName;
  const { fleet } = input.settings;
  if (ref === undefined || !fleet || pairPort !== undefined) throw unknown;
  const { fleetClientOf, fleetPath, remoteGateway } = await import('../../client/index.ts');
  const client = fleetClientOf(fleet);
  const agent = await client.agent(ref).catch((error: unknown) => {
    throw isRouseError(error) && error.code === 'not_found' ? unknownEverywhere(unknown, fleet.url) : error;
  });
  const gateway = remoteGateway(client.servers, fleetPath(agent.workspace_id));
  return { kind: 'remote', agentRef: agent.name, host: agent.host, gateway };
}

/** Neither this host nor the fleet, as far as the token may see, knows the agent. */
const unknownEverywhere = ({ message, hint, facts }: RouseError, url: string): RouseError =>
  notFound(`${message}, nor in the fleet of ${url}`, {
    hint: hint?.startsWith('did you mean')
      ? hint
      : '"rouse ls" and "rouse fleet list" show the agents there are',
    facts,
  });

/** A client of the target's gateway, as the owner unless `caller` says otherwise; or why there is none (empty: not attached). */
export async function gatewayOf(
  input: Input,
  target: Target | RemoteTarget,
  caller?: Caller,
): Promise<GatewayClient | string> {
  if (target.kind === 'remote') return target.gateway;
  return target.kind === 'fleet' ? behindFleet(target, caller) : local(input, target, caller);
}

async function local(
  input: Input,
  { facts }: LocalTarget,
  caller: Caller | undefined,
): Promise<GatewayClient | string> {
  const [{ absentStanding, probeGateway, readToken, sessionPaths, whyDown }, { GatewayClient }] =
    await Promise.all([import('../../session/index.ts'), import('../../client/index.ts')]);
  const paths = sessionPaths(facts.root);
  const token = readToken(paths, input.env);
  const life = await probeGateway(paths, token);
  if (life.life === 'live') {
    const { host, port } = life.gateway;
    return new GatewayClient({ host, port, token, caller });
  }
  const standing = await absentStanding(sessionContext(input), facts);
  const gone = standing?.state === 'gone' ? standing.needs_you : undefined;
  const why = gone ?? whyDown(paths)?.message ?? standing?.needs_you;
  if (life.life === 'none') return why ?? '';
  return (life.life === 'silent' ? gone : why) || life.reason;
}

async function behindFleet(
  { baseUrl, agentRef, token }: FleetTarget,
  caller: Caller | undefined,
): Promise<GatewayClient> {
  const { GatewayClient, fleetPath } = await import('../../client/index.ts');
  const { hostname, port } = new URL(baseUrl);
  const place = { host: hostname, port: Number(port || 80), pathOf: fleetPath(agentRef) };
  return new GatewayClient({ ...place, token, caller });
}
