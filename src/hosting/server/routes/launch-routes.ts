import * as path from 'node:path';
import type { Context } from 'hono';
import { conflict, forbidden } from '../../../base/index.ts';
import type { Handlers } from '../../../http/index.ts';
import {
  fleetActions,
  type Handover,
  type LaunchOptions,
  type LaunchReport,
  readManifestFacts,
} from '../../../session/index.ts';
import {
  type AnswerOf,
  type HeadlessLaunchBody,
  type ManagedLaunchBody,
  manifestFiles,
  type RegisterLaunchBody,
} from '../../../wire/index.ts';
import type { ManagedAgents } from '../managed-agents.ts';
import { identityView, type TrackedAgent } from '../tracked-agent.ts';
import type { AgentRoutes, RouteParts } from './route-parts.ts';

/** Launches agents that this server owns, and registers terminals that were launched for it. */
export function launchHandlers({
  agents,
  access,
}: RouteParts): Handlers<AgentRoutes<'launch' | 'launch.headless' | 'register'>> {
  const launched = async (context: Context, body: Body, headless: boolean): Promise<Launched> => {
    access.requireLaunch(context, body.environment_file);
    const handed = await handedOver(agents, body.environment_file);
    return launchView(await agents.launch(optionsOf(body, headless), handed));
  };
  return {
    'agents.launch': async ({ context, body }) => {
      access.requirePerson(context);
      return launched(context, await body(), false);
    },
    'agents.launch.headless': async ({ context, body }) => {
      access.requirePerson(context);
      return launched(context, await body(), true);
    },
    'agents.register': async ({ context, body }) => {
      access.requireGrant(context, 'launch');
      const agent = registered(agents, await body());
      return { success: true, schema_version: 1, status: 'ok', action: 'register', ...identityView(agent) };
    },
  };
}

type Body = ManagedLaunchBody | HeadlessLaunchBody;
type Launched = AnswerOf<AgentRoutes<'launch'>['agents.launch']>;

/** Returns what the caller handed over for the tool. Undefined: the tool gets the server's environment. */
export async function handedOver(
  { session }: ManagedAgents,
  file: string | null | undefined,
): Promise<Handover | undefined> {
  if (file == null) return undefined;
  return (await fleetActions()).takeHandover(session.settings.runtimeDir, file);
}

function optionsOf(body: Body, headless: boolean): LaunchOptions {
  const { mailbox } = body;
  const turns = 'resume_args' in body ? body : undefined;
  return {
    tool: body.tool,
    agentName: body.agent_name,
    agentId: body.agent_id ?? undefined,
    exactName: true,
    sessionName: body.session_name ?? undefined,
    workdir: body.working_directory,
    cwd: body.working_directory,
    headless,
    args: body.args,
    rolePrompt: body.role_prompt ?? undefined,
    roleName: body.role_name ?? undefined,
    home: body.home ?? undefined,
    skills: body.install_skills ?? undefined,
    mcp: body.mcp ?? undefined,
    takeOver: body.take_over ?? undefined,
    resumeArgs: turns?.resume_args ?? undefined,
    continueArgs: turns?.continue_args ?? undefined,
    mailbox:
      mailbox === false
        ? false
        : { root: mailbox?.root ?? undefined, address: mailbox?.address ?? undefined },
  };
}

function launchView(report: LaunchReport): Launched {
  const { facts, paneId, toolPid, skills, fleet, fleetError } = report;
  const agent: TrackedAgent = { trackedId: facts.sessionId, owner: 'server', facts };
  const identity = identityView(agent);
  return {
    ...{ success: true, schema_version: 1, status: 'ok', action: 'launch' },
    detail: `agent ${facts.agentName} runs`,
    identity,
    ...identity,
    pane_id: paneId,
    tool_pid: toolPid,
    skills_written: skills?.written ?? [],
    skills_problem: skills?.problem ?? null,
    fleet: fleet ? { url: fleet.url, workspace_id: fleet.workspaceId } : null,
    fleet_error: fleetError
      ? { code: fleetError.code, message: fleetError.message, hint: fleetError.hint ?? null }
      : null,
  };
}

/**
 * The manifest is the authority; the body only has to agree with it. It must be in this server's own runtime directory.
 */
function registered(agents: ManagedAgents, body: RegisterLaunchBody): TrackedAgent {
  const sessions = path.join(agents.session.settings.runtimeDir, 'sessions');
  const named =
    body.manifest_path ?? (body.session_root == null ? undefined : manifestFiles(body.session_root).manifest);
  if (named === undefined) throw conflict('manifest_path or session_root must name the session');
  const manifest = path.normalize(named);
  if (!manifest.startsWith(`${sessions}${path.sep}`))
    throw forbidden(`only sessions under ${sessions} can be registered here`);
  const facts = readManifestFacts(manifest);
  const claims: [string, string | null | undefined, string][] = [
    ['session_name', body.session_name, facts.tmuxSessionName],
    ['tmux_session_name', body.tmux_session_name, facts.tmuxSessionName],
    ['tool', body.tool, facts.tool],
    ['agent_name', body.agent_name, facts.agentName],
    ['agent_id', body.agent_id, facts.agentId],
  ];
  const wrong = claims.find(([, claimed, real]) => claimed != null && claimed !== real);
  if (wrong) {
    throw conflict(`${wrong[0]} is "${wrong[1]}" here and "${wrong[2]}" in the manifest`, {
      facts: { cause: 'stale_pointer' },
    });
  }
  return agents.register(facts, { toolVersion: body.observed_tool_version ?? null });
}
