import { commandLine, conflict, isRouseError, notFound, notReady, unavailable } from '../../base/index.ts';
import {
  exchange,
  type FleetAnswer,
  type FleetInput,
  type FleetRouteId,
  fleetQuestion,
  ownerToken,
  readTokenFile,
  type ServerKind,
} from '../../client/index.ts';
import { isHeadless } from '../../domain/index.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import type { FleetTarget } from './resolve-target.ts';

/** The two kinds of server that own agents; the passive one cannot attach or detach. */
export type FleetService = 'houmao-server' | 'houmao-passive-server';

/** A server that owns agents, and what opens its door where it listens beyond this host. */
export interface FleetServer {
  baseUrl: string;
  token?: string | undefined;
  /** The manifest that named it; undefined when the command line did. */
  facts?: ManifestFacts | undefined;
}

/** As a server describes one: ours with an identity of its own, others flat and with fewer fields. */
export type FleetAgent = Partial<FleetAnswer<'agents.get'>>;

const TIMEOUT_MS = 5000;
/** Attach starts a process and waits for it. */
const SLOW_TIMEOUT_MS = 30_000;

function serverKind(server: FleetServer): ServerKind {
  return {
    name: 'fleet server',
    absent: howToReach(server),
    stranger: 'Another program may have taken the port; "rouse server status" shows.',
  };
}

/** A server that the agent's own manifest names cannot be left out: the agent is its. */
function howToReach({ baseUrl, facts }: FleetServer): string {
  if (!facts) return 'Start it with "rouse server start", or leave out --pair-port for agents of this host.';
  const start = commandLine`rouse server start --port ${new URL(baseUrl).port || 80}`;
  return `Agent ${facts.agentName} belongs to that server, as its manifest says; start it with "${start}".`;
}

/**
 * Sent only where somebody named the file, or to the running server of this home: whoever happens to listen on a port must
 * not be given a token unasked.
 */
export function fleetToken(env: NodeJS.ProcessEnv, baseUrl: string): string | undefined {
  const file = env['ROUSE_FLEET_TOKEN_FILE'];
  return file ? readTokenFile(file) : ownerToken(env, baseUrl);
}

/** Whether a server of ours is there and knows the agent. Anything else there, or nobody, is no. */
export async function fleetKnows(server: FleetServer, agentRef: string): Promise<boolean> {
  try {
    await fleetService(server);
    await askFleet(server, 'agents.get', { agent_ref: agentRef });
    return true;
  } catch (error) {
    if (isRouseError(error)) return false;
    throw error;
  }
}

/** Which kind of fleet server answers there; another program on that port is not one. */
export async function fleetService(server: FleetServer): Promise<FleetService> {
  const { baseUrl } = server;
  let service: string | undefined;
  try {
    const health: { houmao_service?: string; service?: string } = await askFleet({ baseUrl }, 'health', {});
    service = health.houmao_service ?? health.service;
  } catch (error) {
    throw unavailable(`no fleet server answers at ${baseUrl}`, {
      cause: error,
      hint: howToReach(server),
      facts: { cause: 'pair_unreachable', base_url: baseUrl },
    });
  }
  if (service === 'houmao-server' || service === 'houmao-passive-server') return service;
  const { CAO_SERVICE } = await import('../../cao/index.ts');
  if (service === CAO_SERVICE) throw caoThere(baseUrl, service);
  throw conflict(`what answers at ${baseUrl} is not a fleet server`, {
    facts: { cause: 'not_a_pair_server', base_url: baseUrl },
  });
}

/** CAO's port is the same as ours, and only its own word tells them apart. */
function caoThere(baseUrl: string, service: string): Error {
  return conflict(`what answers at ${baseUrl} is a CAO server, not a fleet server`, {
    hint: `join one of its terminals: ${commandLine`rouse agents join --cao TERMINAL_ID --cao-url ${baseUrl} --agent-name NAME`}`,
    facts: { cause: 'not_a_pair_server', service, base_url: baseUrl },
  });
}

/**
 * The server must know the agent under exactly this reference, and, when a session of this host led here, as the
 * agent of that very session. A session whose registration has not finished is not ready; nobody else is asked
 * instead.
 */
export async function requireFleetAgent(target: FleetTarget): Promise<FleetAgent> {
  const { baseUrl, agentRef, facts } = target;
  let agent: FleetAgent;
  try {
    agent = await askFleet(target, 'agents.get', { agent_ref: agentRef });
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
    if (!facts) {
      throw notFound(`the server at ${baseUrl} knows no agent "${agentRef}"`, {
        facts: { cause: 'unknown_agent' },
      });
    }
    throw notReady(`agent ${facts.agentName} is not registered at ${baseUrl} yet`, {
      hint: 'its launch has not finished; try again when the server lists it',
      facts: { cause: 'not_registered', base_url: baseUrl },
    });
  }
  if (facts) requireSameSession(agent, facts, baseUrl);
  return agent;
}

function requireSameSession(agent: FleetAgent, facts: ManifestFacts, baseUrl: string): void {
  const { transport, tmux_session_name, session_name } = agent.identity ?? agent;
  const names = [tmux_session_name, session_name];
  const wanted = isHeadless(facts.backend) ? 'headless' : 'tui';
  if ((transport === undefined || transport === wanted) && names.includes(facts.tmuxSessionName)) return;
  const what = wanted === 'tui' ? 'the terminal session' : 'the headless session';
  throw conflict(`the server at ${baseUrl} does not hold this agent as ${what} "${facts.tmuxSessionName}"`, {
    facts: { cause: 'pair_identity_mismatch', base_url: baseUrl },
  });
}

/** One question to a server that owns agents. What it refuses is refused here with its own words and code. */
export async function askFleet<K extends FleetRouteId>(
  server: FleetServer,
  id: K,
  input: FleetInput<K>,
  options: { timeoutMs?: number } = {},
): Promise<FleetAnswer<K>> {
  const { baseUrl, token } = server;
  const { hostname, port } = new URL(baseUrl);
  const question = fleetQuestion(id, input);
  const timeoutMs = options.timeoutMs ?? (question.method === 'GET' ? TIMEOUT_MS : SLOW_TIMEOUT_MS);
  const answer = await exchange(
    { host: hostname, port: Number(port || 80), timeoutMs, token, server: serverKind(server) },
    question,
  );
  if (answer !== null && typeof answer === 'object') return answer as FleetAnswer<K>;
  throw unavailable(`${baseUrl} answered with something that is not an object`, {
    facts: { base_url: baseUrl },
  });
}
