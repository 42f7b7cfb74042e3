import { conflict, isRouseError, notFound, notReady, unavailable } from '../base/index.ts';
import { exchange, segment } from '../client/index.ts';
import type { PairTarget } from './resolve-target.ts';

/** The two kinds of server that own agents; the passive one cannot attach or detach. */
export type PairService = 'houmao-server' | 'houmao-passive-server';

const TIMEOUT_MS = 5000;
/** Attach starts a process and waits for it. */
const ATTACH_TIMEOUT_MS = 30_000;

/** Whether a server of ours is there and knows the agent. Anything else there, or nobody, is no. */
export async function pairKnows(baseUrl: string, agentRef: string): Promise<boolean> {
  try {
    await pairService(baseUrl);
    await ask(baseUrl, 'GET', agentPath(agentRef));
    return true;
  } catch (error) {
    if (isRouseError(error)) return false;
    throw error;
  }
}

/** Which kind of pair server answers there; another program on that port is not one. */
export async function pairService(baseUrl: string): Promise<PairService> {
  let service: unknown;
  try {
    service = (await ask(baseUrl, 'GET', '/health'))['houmao_service'];
  } catch (error) {
    throw unavailable(`no pair server answers at ${baseUrl}`, {
      cause: error,
      hint: 'start it, or leave out --pair-port for agents of this host',
      facts: { cause: 'pair_unreachable', base_url: baseUrl },
    });
  }
  if (service === 'houmao-server' || service === 'houmao-passive-server') return service;
  throw conflict(`what answers at ${baseUrl} is not a pair server`, {
    facts: { cause: 'not_a_pair_server', base_url: baseUrl },
  });
}

/**
 * The server must know the agent under exactly this reference, and, when a session of this host led here, as the
 * terminal agent of that very session. A session whose registration has not finished is not ready; nobody else
 * is asked instead.
 */
export async function requirePairAgent(target: PairTarget): Promise<Record<string, unknown>> {
  const { baseUrl, agentRef, facts } = target;
  let agent: Record<string, unknown>;
  try {
    agent = await ask(baseUrl, 'GET', agentPath(agentRef));
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
  if (facts) requireSameSession(agent, facts.tmuxSessionName, baseUrl);
  return agent;
}

function requireSameSession(agent: Record<string, unknown>, session: string, baseUrl: string): void {
  const identity = (agent['identity'] ?? agent) as Record<string, unknown>;
  const transport = identity['transport'];
  const names = [identity['tmux_session_name'], identity['session_name']];
  if ((transport === undefined || transport === 'tui') && names.includes(session)) return;
  throw conflict(`the server at ${baseUrl} does not hold this agent as the terminal session "${session}"`, {
    facts: { cause: 'pair_identity_mismatch', base_url: baseUrl },
  });
}

export type PairAction = 'attach' | 'detach' | 'status';

/** The gateway routes of a pair server. What it refuses is refused here with its own words and code. */
export function pairGateway(
  { baseUrl, agentRef }: PairTarget,
  action: PairAction,
  body: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  const path = `${agentPath(agentRef)}/gateway`;
  return action === 'status' ? ask(baseUrl, 'GET', path) : ask(baseUrl, 'POST', `${path}/${action}`, body);
}

function agentPath(agentRef: string): string {
  return `/houmao/agents/${segment(agentRef, 'agent ref')}`;
}

async function ask(
  baseUrl: string,
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { hostname, port } = new URL(baseUrl);
  const timeoutMs = method === 'GET' ? TIMEOUT_MS : ATTACH_TIMEOUT_MS;
  const answer = await exchange(
    { host: hostname, port: Number(port || 80), timeoutMs },
    { method, path, body },
  );
  if (answer !== null && typeof answer === 'object') return answer as Record<string, unknown>;
  throw unavailable(`${baseUrl} answered with something that is not an object`, {
    facts: { base_url: baseUrl },
  });
}
