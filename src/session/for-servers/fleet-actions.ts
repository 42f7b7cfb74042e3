import * as fs from 'node:fs';
import { asRouseError, invalid, RouseError, unsupported } from '../../base/index.ts';
import type { FleetAnswer, FleetInput } from '../../client/index.ts';
import type { AttachReport } from '../gateway/attach.ts';
import { attach } from '../gateway/gateway-actions.ts';
import type { LaunchReport } from '../life/launch.ts';
import type { LaunchOptions } from '../life/launch-draft.ts';
import { launchNotes, requireWorkdir } from '../life/launch-plan.ts';
import { launchedHere, type StopOptions } from '../life/stop.ts';
import { readManifestFacts } from '../records/manifest-facts.ts';
import type { SessionContext } from '../session-context.ts';
import {
  askFleet,
  type FleetServer,
  fleetService,
  fleetToken,
  requireFleetAgent,
} from '../target/fleet-server.ts';
import { type FleetTarget, targetOf } from '../target/resolve-target.ts';
import { writeHandover } from './handover.ts';

/** A launch waits for the tool and asks it for its version. */
const PATIENT = { timeoutMs: 90_000 };

type Launched = FleetAnswer<'agents.launch'>;

export function fleetServerOn(port: number, env: NodeJS.ProcessEnv): FleetServer {
  const baseUrl = `http://127.0.0.1:${port}`;
  return { baseUrl, token: fleetToken(env, baseUrl) };
}

/** Asks a server to launch an agent and to own it. It runs with the environment of whoever asks, as a launch from here would. */
export async function launchAtFleet(
  context: SessionContext,
  server: FleetServer,
  options: LaunchOptions,
): Promise<LaunchReport> {
  await requireOwner(server);
  const body = launchBody(options);
  const answer = await withEnvironment(context, (file) =>
    askFleet(
      server,
      options.headless ? 'agents.launch.headless' : 'agents.launch',
      { body: { ...body, environment_file: file } },
      PATIENT,
    ),
  );
  const facts = readManifestFacts(answer.manifest_path);
  const target = { ...targetOf(facts), token: server.token } as FleetTarget;
  const report = {
    facts,
    paneId: answer.pane_id,
    toolPid: answer.tool_pid,
    ...asideOf(answer),
    notes: launchNotes(facts),
  };
  return { ...report, ...(await autoAttach(context, target, options)) };
}

/** What a launch does beside starting the tool, as the server told it. */
function asideOf(answer: Launched): Pick<LaunchReport, 'skills' | 'fleet' | 'fleetError'> {
  const { skills_written: written, skills_problem: problem, fleet, fleet_error: error } = answer;
  return {
    skills: { written, problem: problem ?? undefined },
    fleet: fleet ? { url: fleet.url, workspaceId: fleet.workspace_id } : undefined,
    fleetError: error
      ? new RouseError(error.code, error.message, { ...(error.hint !== null && { hint: error.hint }) })
      : undefined,
  };
}

function launchBody(options: LaunchOptions): FleetInput<'agents.launch.headless'>['body'] {
  return {
    tool: options.tool,
    agent_name: options.agentName,
    agent_id: options.agentId ?? null,
    session_name: options.sessionName ?? null,
    working_directory: requireWorkdir(options.workdir, options.cwd),
    args: options.args,
    role_prompt: options.rolePrompt ?? null,
    role_name: options.roleName ?? null,
    home: options.home ?? null,
    install_skills: options.skills ?? null,
    ...(options.mcp && { mcp: options.mcp }),
    ...(options.takeOver && { take_over: true }),
    mailbox:
      options.mailbox === false
        ? false
        : { root: options.mailbox?.root ?? null, address: options.mailbox?.address ?? null },
    ...(options.headless && {
      resume_args: options.resumeArgs ?? null,
      continue_args: options.continueArgs ?? null,
    }),
  };
}

async function autoAttach(
  context: SessionContext,
  target: FleetTarget,
  { autoAttach: wanted }: LaunchOptions,
): Promise<{ attached: AttachReport | undefined; attachError: RouseError | undefined }> {
  if (!wanted) return { attached: undefined, attachError: undefined };
  try {
    return { attached: await attach(context, target, wanted), attachError: undefined };
  } catch (error) {
    return { attached: undefined, attachError: asRouseError(error) };
  }
}

/** The environment is there for as long as the question is asked, and gone when it is answered. */
async function withEnvironment<T>(context: SessionContext, ask: (file: string) => Promise<T>): Promise<T> {
  const { runtimeDir, fleet } = context.settings;
  const file = writeHandover(runtimeDir, { env: context.env, fleet });
  try {
    return await ask(file);
  } finally {
    fs.rmSync(file, { force: true });
  }
}

async function requireOwner(server: FleetServer): Promise<void> {
  if ((await fleetService(server)) === 'houmao-server') return;
  throw unsupported(`the server at ${server.baseUrl} only watches; it owns no agents`, {
    facts: { cause: 'passive_server', base_url: server.baseUrl },
  });
}

/** The agents a server knows, as it describes them. */
export async function listAtFleet(server: FleetServer): Promise<FleetAnswer<'agents.list'>> {
  await fleetService(server);
  return askFleet(server, 'agents.list', {});
}

/** What the server knows of the agent, after it has proven to be the one that is meant. */
export async function showAtFleet(
  target: FleetTarget,
): Promise<Omit<FleetAnswer<'agents.state.detail'>, 'summary_state'>> {
  await fleetService(target);
  await requireFleetAgent(target);
  const { summary_state: _, ...agent } = await askFleet(target, 'agents.state.detail', {
    agent_ref: target.agentRef,
  });
  return agent;
}

type Stopped = FleetAnswer<'agents.stop'>;

export async function stopAtFleet(
  target: FleetTarget,
  { killSession = false }: StopOptions = {},
): Promise<Stopped> {
  await requireOwner(target);
  await requireFleetAgent(target);
  return askStop(target, killSession);
}

/** Only a joined session can be left, also where a server is asked to. */
export async function leaveAtFleet(target: FleetTarget): Promise<Stopped> {
  await requireOwner(target);
  const agent = await requireFleetAgent(target);
  if (agent.joined !== true) throw launchedHere(agent.agent_name ?? target.agentRef);
  return askStop(target, false);
}

function askStop(target: FleetTarget, killSession: boolean): Promise<Stopped> {
  const body = { kill_session: killSession };
  return askFleet(target, 'agents.stop', { agent_ref: target.agentRef, body });
}

export async function relaunchAtFleet(
  context: SessionContext,
  target: FleetTarget,
): Promise<FleetAnswer<'agents.relaunch'>> {
  await requireOwner(target);
  await requireFleetAgent(target);
  return withEnvironment(context, (file) =>
    askFleet(
      target,
      'agents.relaunch',
      { agent_ref: target.agentRef, body: { environment_file: file } },
      PATIENT,
    ),
  );
}

/** Through the agent's gateway when it has one, otherwise by the server itself. */
export async function requestAtFleet(
  target: FleetTarget,
  request: FleetInput<'agents.requests'>['body'],
): Promise<FleetAnswer<'agents.requests'>> {
  await requireFleetAgent(target);
  if (request.request_kind === 'submit_prompt' && request.prompt.trim() === '')
    throw invalid('the prompt must not be empty');
  return askFleet(target, 'agents.requests', { agent_ref: target.agentRef, body: request }, PATIENT);
}

/** Where the agent's mail is served now, as the server says. */
export async function resolveMailAtFleet(target: FleetTarget): Promise<FleetAnswer<'agents.mail.live'>> {
  await requireFleetAgent(target);
  return askFleet(target, 'agents.mail.live', { agent_ref: target.agentRef });
}
