import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  commandLine,
  conflict,
  ensurePrivateDirectory,
  isRouseError,
  notFound,
  notReady,
  type RouseError,
  readJsonIfExists,
  unavailable,
  unsupported,
  VERSION,
  writeFileAtomic,
  writeJsonAtomic,
} from '../base/index.ts';
import {
  exchange,
  type FleetAnswer,
  type FleetInput,
  type FleetRouteId,
  fleetClientOf,
  fleetQuestion,
  type HostIdentity,
  isServerOfHome,
  ownerToken,
  readTokenFile,
  type ServerKind,
  thisHost,
} from '../client/index.ts';
import { CAPABILITIES, isHeadless } from '../domain/index.ts';
import type { OwnerKind } from '../terminal/owners.ts';
import { BACKEND, FLEET_SERVICE, PASSIVE_FLEET_SERVICE } from '../wire/houmao/index.ts';
import type { FleetMembership, Registered } from '../wire/index.ts';
import { type ManifestFacts, manifestOfRecord } from './records/manifest-facts.ts';
import { byName, readRegistry } from './records/registry-read.ts';
import type { SessionContext } from './session-context.ts';

/** The two kinds of server that own agents. The passive kind cannot attach or detach. */
export type FleetService = typeof FLEET_SERVICE | typeof PASSIVE_FLEET_SERVICE;

/** A server that owns agents, and the token for one that listens beyond this host. */
export interface FleetServer {
  baseUrl: string;
  token?: string | undefined;
  /** The manifest that named it; undefined if the command line did. */
  facts?: ManifestFacts | undefined;
}

/** An agent that a server owns. */
export interface FleetTarget extends FleetServer {
  kind: 'fleet';
  agentRef: string;
  /** The manifest that led there; undefined if the server was named on the command line. */
  facts: ManifestFacts | undefined;
}

/** An agent as a server describes it. Ours has an identity object; others are flat, with fewer fields. */
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

/** A server that the agent's own manifest names cannot be left out. */
function howToReach({ baseUrl, facts }: FleetServer): string {
  if (!facts) return 'Start it with "rouse server start", or leave out --pair-port for agents of this host.';
  const start = commandLine`rouse server start --port ${new URL(baseUrl).port || 80}`;
  return `Agent ${facts.agentName} belongs to that server, as its manifest says; start it with "${start}".`;
}

/**
 * Sent only if a person named the file, or to the running server of this home. Another program that listens on a port
 * must not get a token.
 */
export function fleetToken(env: NodeJS.ProcessEnv, baseUrl: string): string | undefined {
  const file = env['ROUSE_FLEET_TOKEN_FILE'];
  return file ? readTokenFile(file) : ownerToken(env, baseUrl);
}

/**
 * Whether the server knows the agent. For an agent without a named server. A Rouse server of another home is not asked,
 * because its agents are not the caller's, unless the caller names a token file.
 */
export async function fleetKnows(
  server: FleetServer,
  agentRef: string,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  try {
    const { service, instance_id } = await healthOf(server);
    const named = Boolean(env['ROUSE_FLEET_TOKEN_FILE']);
    if (service === 'rouse' && !named && !isServerOfHome(env, instance_id)) return false;
    await fleetService(server);
    await askFleet(server, 'agents.get', { agent_ref: agentRef });
    return true;
  } catch (error) {
    if (isRouseError(error)) return false;
    throw error;
  }
}

/** Which kind of fleet server responds there. Another program on that port is an error. */
export async function fleetService(server: FleetServer): Promise<FleetService> {
  const { baseUrl } = server;
  const health = await healthOf(server);
  const service = health.houmao_service ?? health.service;
  if (service === FLEET_SERVICE || service === PASSIVE_FLEET_SERVICE) return service;
  const { OWNERS } = await import('../terminal/owners.ts');
  const owner = OWNERS.find((each) => each.service === service);
  if (owner) throw ownerThere(baseUrl, owner);
  throw conflict(`what answers at ${baseUrl} is not a fleet server`, {
    facts: { cause: 'not_a_pair_server', base_url: baseUrl },
  });
}

async function healthOf(
  server: FleetServer,
): Promise<{ houmao_service?: string; service?: string; instance_id?: string }> {
  const { baseUrl } = server;
  try {
    return await askFleet({ baseUrl }, 'health', {});
  } catch (error) {
    throw unavailable(`no fleet server answers at ${baseUrl}`, {
      cause: error,
      hint: howToReach(server),
      facts: { cause: 'pair_unreachable', base_url: baseUrl },
    });
  }
}

/** Both kinds of server may use the same port. Only the health response shows which it is. */
function ownerThere(baseUrl: string, { backend, service, joinCommand }: OwnerKind): Error {
  return conflict(
    `what answers at ${baseUrl} is a ${CAPABILITIES[backend].owner} server, not a fleet server`,
    {
      hint: `join one of its terminals: ${joinCommand(baseUrl)}`,
      facts: { cause: 'not_a_pair_server', service, base_url: baseUrl },
    },
  );
}

/**
 * Requires that the server has an agent with exactly this reference and, if a session of this host led here, that it is
 * the agent of exactly this session. A session whose registration has not finished is not ready; no other server is
 * asked.
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

/** Sends one request to a server that owns agents. Its refusals are thrown with the same code and message. */
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

/** For a passive server, which only watches: the manifest of a session that this host owns and acts on itself. */
export async function localInstead(
  context: SessionContext,
  target: FleetTarget,
  action: 'attach' | 'detach',
): Promise<string | undefined> {
  const { baseUrl, agentRef } = target;
  if ((await fleetService(target)) === FLEET_SERVICE) return undefined;
  const { fresh } = readRegistry(context.settings.registryDir, context.clock.now().getTime());
  const matches = fresh.filter((record) => record.agent_id === agentRef);
  const [record] = matches.length > 0 ? matches : byName(fresh, agentRef);
  if (record && record.identity.backend !== BACKEND.server) return manifestOfRecord(record).path;
  throw unsupported(
    `the server at ${baseUrl} only watches and cannot ${action}, and this host does not own the session`,
    {
      facts: { cause: 'passive_server', base_url: baseUrl },
    },
  );
}

/** A session to register with the fleet server. */
export interface FleetMember {
  root: string;
  agentId: string;
  agentName: string;
  tool: string;
  sessionId: string;
}

export interface FleetReport {
  url: string;
  workspaceId: string;
}

export interface FleetRegistration {
  url: string;
  tokenFile: string;
  caFile?: string | undefined;
  /** Replace a session of the agent that is still active elsewhere. */
  takeOver?: boolean | undefined;
  /** Where it runs. */
  host: HostIdentity;
  /** The sessions of this home. One of them that the server still lists as active is replaced without asking. */
  runtimeDir: string;
}

const REGISTER_MS = 5000;
const LEAVE_MS = 1500;

/**
 * Registers the session with the fleet server and stores the agent's token where only its owner can read it. The same
 * agent id keeps its workspace. An older session of it is shut out, but one of another host only with `takeOver`. Throws
 * the error of the server or the network.
 */
export async function registerWithFleet(
  fleet: FleetRegistration,
  { root, agentId, agentName, tool, sessionId }: FleetMember,
): Promise<FleetReport> {
  const client = fleetClientOf(fleet, { timeoutMs: REGISTER_MS });
  const register = (takeOver: boolean): Promise<Registered> =>
    client.register({
      agent_id: agentId,
      name: agentName,
      tool,
      session_id: sessionId,
      host: fleet.host.name,
      host_id: fleet.host.id,
      version: VERSION,
      take_over: takeOver,
    });
  const { workspace_id, auth_token } = await register(fleet.takeOver === true).catch((error: unknown) => {
    // This home claimed the name, so an earlier session of it is gone even if the server still lists it.
    if (isElsewhere(error) && isOfThisHome(fleet.runtimeDir, error.facts['session_id']))
      return register(true);
    throw error;
  });
  const membership: FleetMembership = {
    schema_version: 1,
    url: client.url,
    ...(fleet.caFile !== undefined && { ca_file: fleet.caFile }),
    workspace_id,
    session_id: sessionId,
  };
  ensurePrivateDirectory(path.join(root, 'fleet'));
  writeFileAtomic(tokenFile(root), `${auth_token}\n`, { mode: 0o600 });
  writeJsonAtomic(membershipFile(root), membership);
  return { url: client.url, workspaceId: workspace_id };
}

/**
 * For launch and join. A fleet that cannot be joined is reported and does not prevent the start. An agent that runs
 * elsewhere is not started twice.
 */
export async function joinFleetAtStart(
  { env, settings: { fleet, runtimeDir } }: SessionContext,
  member: FleetMember,
  { takeOver }: { takeOver?: boolean | undefined },
): Promise<{ fleet: FleetReport | undefined; fleetError: RouseError | undefined }> {
  if (!fleet) return { fleet: undefined, fleetError: undefined };
  try {
    const report = await registerWithFleet({ ...fleet, host: thisHost(env), runtimeDir, takeOver }, member);
    return { fleet: report, fleetError: undefined };
  } catch (error) {
    if (isElsewhere(error) || isOfOthers(error)) throw error;
    return { fleet: undefined, fleetError: asRouseError(error) };
  }
}

/** Notifies the server that the agent is gone. Otherwise it would notice after three minutes. Never throws. */
export async function leaveFleet(root: string): Promise<void> {
  try {
    const membership = readJsonIfExists(membershipFile(root)) as FleetMembership | undefined;
    if (!membership || !existsSync(tokenFile(root))) return;
    const { url, ca_file: caFile } = membership;
    const client = fleetClientOf({ url, caFile, tokenFile: tokenFile(root) }, { timeoutMs: LEAVE_MS });
    await client.heartbeat({ session_id: membership.session_id, active_tasks: 0, leaving: true });
  } catch {
    // The server cannot be reached, or already knows.
  }
}

function isElsewhere(error: unknown): error is RouseError {
  return isRouseError(error) && error.facts['cause'] === 'agent_online_elsewhere';
}

function isOfOthers(error: unknown): boolean {
  return isRouseError(error) && error.facts['cause'] === 'not_its_owner';
}

function isOfThisHome(runtimeDir: string, sessionId: unknown): boolean {
  const sessions = path.join(runtimeDir, 'sessions');
  if (typeof sessionId !== 'string' || !existsSync(sessions)) return false;
  return readdirSync(sessions).some((backend) =>
    existsSync(path.join(sessions, backend, path.basename(sessionId))),
  );
}

const membershipFile = (root: string): string => path.join(root, 'fleet', 'fleet.json');
const tokenFile = (root: string): string => path.join(root, 'fleet', 'token');
