import { existsSync } from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  ensurePrivateDirectory,
  type RouseError,
  readJsonIfExists,
  writeFileAtomic,
  writeJsonAtomic,
} from '../base/index.ts';
import { FleetClient, readTokenFile } from '../client/index.ts';
import type { FleetMembership } from '../wire/index.ts';
import type { SessionContext } from './session-context.ts';

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

const REGISTER_MS = 5000;
const LEAVE_MS = 1500;

/**
 * Registers the session with the fleet server and keeps the agent's token where only its owner can read it. The same
 * agent id keeps its workspace; an older session of it is fenced off. Throws what the server or the network said.
 */
export async function registerWithFleet(
  fleet: { url: string; tokenFile: string },
  { root, agentId, agentName, tool, sessionId }: FleetMember,
): Promise<FleetReport> {
  const client = new FleetClient({
    url: fleet.url,
    token: readTokenFile(fleet.tokenFile),
    timeoutMs: REGISTER_MS,
  });
  const { workspace_id, auth_token } = await client.register({
    agent_id: agentId,
    name: agentName,
    tool,
    session_id: sessionId,
  });
  const membership: FleetMembership = {
    schema_version: 1,
    url: client.url,
    workspace_id,
    session_id: sessionId,
  };
  ensurePrivateDirectory(path.join(root, 'fleet'));
  writeFileAtomic(tokenFile(root), `${auth_token}\n`, { mode: 0o600 });
  writeJsonAtomic(membershipFile(root), membership);
  return { url: client.url, workspaceId: workspace_id };
}

/** At launch and join: a fleet that cannot be joined is told, and keeps no agent from starting. */
export async function joinFleetAtStart(
  { settings }: SessionContext,
  member: FleetMember,
): Promise<{ fleet: FleetReport | undefined; fleetError: RouseError | undefined }> {
  if (!settings.fleet) return { fleet: undefined, fleetError: undefined };
  try {
    return { fleet: await registerWithFleet(settings.fleet, member), fleetError: undefined };
  } catch (error) {
    return { fleet: undefined, fleetError: asRouseError(error) };
  }
}

/** Tells the server that the agent is gone; it would notice by itself in three minutes. Never throws. */
export async function leaveFleet(root: string): Promise<void> {
  try {
    const membership = readJsonIfExists(membershipFile(root)) as FleetMembership | undefined;
    if (!membership || !existsSync(tokenFile(root))) return;
    const client = new FleetClient({
      url: membership.url,
      token: readTokenFile(tokenFile(root)),
      timeoutMs: LEAVE_MS,
    });
    await client.heartbeat({ session_id: membership.session_id, active_tasks: 0, leaving: true });
  } catch {
    // The server is away, or knows already.
  }
}

const membershipFile = (root: string): string => path.join(root, 'fleet', 'fleet.json');
const tokenFile = (root: string): string => path.join(root, 'fleet', 'token');
