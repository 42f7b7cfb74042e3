import { existsSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  ensurePrivateDirectory,
  isRouseError,
  type RouseError,
  readJsonIfExists,
  VERSION,
  writeFileAtomic,
  writeJsonAtomic,
} from '../../base/index.ts';
import { fleetClientOf, type HostIdentity, thisHost } from '../../client/index.ts';
import type { FleetMembership, Registered } from '../../wire/index.ts';
import type { SessionContext } from '../session-context.ts';

/** What the fleet server is told of a session. */
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
  /** Throw out a session of the agent that still beats elsewhere. */
  takeOver?: boolean | undefined;
  /** Where it runs. */
  host: HostIdentity;
  /** Where this home keeps its sessions: one of them that the server still believes in is replaced without asking. */
  runtimeDir: string;
}

const REGISTER_MS = 5000;
const LEAVE_MS = 1500;

/**
 * Registers the session with the fleet server and keeps the agent's token where only its owner can read it. The same
 * agent id keeps its workspace; an older session of it is fenced off, one of another host only with `takeOver`. Throws
 * what the server or the network said.
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
    // The name was claimed here, so an earlier session of this home is gone, whatever the server still believes.
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
 * At launch and join: a fleet that cannot be joined is told, and keeps no agent from starting. An agent that runs
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

/** Tells the server that the agent is gone; it would notice by itself in three minutes. Never throws. */
export async function leaveFleet(root: string): Promise<void> {
  try {
    const membership = readJsonIfExists(membershipFile(root)) as FleetMembership | undefined;
    if (!membership || !existsSync(tokenFile(root))) return;
    const { url, ca_file: caFile } = membership;
    const client = fleetClientOf({ url, caFile, tokenFile: tokenFile(root) }, { timeoutMs: LEAVE_MS });
    await client.heartbeat({ session_id: membership.session_id, active_tasks: 0, leaving: true });
  } catch {
    // The server is away, or knows already.
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
