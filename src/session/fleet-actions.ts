import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  asRouseError,
  ensurePrivateDirectory,
  errnoOf,
  forbidden,
  invalid,
  RouseError,
  randomHex,
  unsupported,
  writeFileAtomic,
} from '../base/index.ts';
import type { FleetAnswer, FleetInput } from '../client/index.ts';
import { FLEET_SERVICE } from '../wire/houmao/index.ts';
import { targetOf } from './find.ts';
import {
  askFleet,
  type FleetServer,
  type FleetTarget,
  fleetService,
  fleetToken,
  requireFleetAgent,
} from './fleet.ts';
import { type AttachReport, attach } from './gateway/attach.ts';
import type { LaunchReport } from './life/launch.ts';
import { launchNotes, requireWorkdir } from './life/launch-plan.ts';
import type { LaunchOptions } from './life/prepare-launch.ts';
import { launchedHere, type StopOptions } from './life/stop.ts';
import { readManifestFacts } from './records/manifest-facts.ts';
import type { SessionContext, SessionSettings } from './session-context.ts';

/** A launch waits for the tool and runs it for its version. */
const PATIENT = { timeoutMs: 90_000 };

type Launched = FleetAnswer<'agents.launch'>;

export function fleetServerOn(port: number, env: NodeJS.ProcessEnv): FleetServer {
  const baseUrl = `http://127.0.0.1:${port}`;
  return { baseUrl, token: fleetToken(env, baseUrl) };
}

/** Asks a server to launch an agent and to own it. It runs with the caller's environment, as after a local launch. */
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

/** What a launch did besides starting the tool, as the server reports it. */
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

/** The environment file exists only during the request. */
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
  if ((await fleetService(server)) === FLEET_SERVICE) return;
  throw unsupported(`the server at ${server.baseUrl} only watches; it owns no agents`, {
    facts: { cause: 'passive_server', base_url: server.baseUrl },
  });
}

/** The agents that a server has, as it describes them. */
export async function listAtFleet(server: FleetServer): Promise<FleetAnswer<'agents.list'>> {
  await fleetService(server);
  return askFleet(server, 'agents.list', {});
}

/** The server's facts about the agent, after checking that it is the right one. */
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

/** Only a joined session can be left, also through a server. */
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

/** Sends a request through the agent's gateway if it has one, otherwise through the server itself. */
export async function requestAtFleet(
  target: FleetTarget,
  request: FleetInput<'agents.requests'>['body'],
): Promise<FleetAnswer<'agents.requests'>> {
  await requireFleetAgent(target);
  if (request.request_kind === 'submit_prompt' && request.prompt.trim() === '')
    throw invalid('the prompt must not be empty');
  return askFleet(target, 'agents.requests', { agent_ref: target.agentRef, body: request }, PATIENT);
}

/** Where the agent's mail is served now, according to the server. */
export async function resolveMailAtFleet(target: FleetTarget): Promise<FleetAnswer<'agents.mail.live'>> {
  await requireFleetAgent(target);
  return askFleet(target, 'agents.mail.live', { agent_ref: target.agentRef });
}

/**
 * Passes the environment of a command line to the server that launches for it. It may hold credentials, and another
 * program may listen on the port. So it goes through a file that only its owner can read, and the request names the
 * file. If the server can read it, both belong to the same account and home.
 */
export interface Handover {
  env: NodeJS.ProcessEnv;
  /** The fleet server that the agent registers with, and whose token it uses. */
  fleet?: SessionSettings['fleet'];
}

const DIRECTORY = 'handover';
const LEFT_BEHIND_MS = 10 * 60_000;
const MAX_BYTES = 4 * 1024 * 1024;

export function writeHandover(runtimeDir: string, handover: Handover): string {
  const directory = path.join(runtimeDir, DIRECTORY);
  ensurePrivateDirectory(directory);
  sweep(directory);
  const file = path.join(directory, `${randomHex(16)}.json`);
  writeFileAtomic(file, JSON.stringify(handover), { mode: 0o600, durable: false });
  return file;
}

/** Reads a handover. It can be read only once, whether it is valid or not. */
export function takeHandover(runtimeDir: string, file: string): Handover {
  const directory = path.join(runtimeDir, DIRECTORY);
  if (path.dirname(file) !== directory || !/^[0-9a-f]{32}\.json$/.test(path.basename(file))) {
    throw forbidden(`environment_file must be a file of ${directory}`, {
      hint: 'the command line and the server must have the same ROUSE_HOME',
    });
  }
  return parse(readOnce(file));
}

/** Opens it without following a link, checks the opened file, and removes it before using it. */
function readOnce(file: string): string {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  } catch (error) {
    throw invalid(`environment_file cannot be read (${errnoOf(error)})`, { cause: error });
  }
  try {
    const stat = fs.fstatSync(fd);
    const own = stat.isFile() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
    if (!own) throw forbidden('environment_file must be a file that only this account can read');
    if (stat.size > MAX_BYTES) throw invalid('environment_file is larger than an environment can be');
    fs.rmSync(file, { force: true });
    return fs.readFileSync(fd, 'utf8');
  } finally {
    fs.closeSync(fd);
  }
}

function parse(text: string): Handover {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalid('environment_file is not JSON', { cause: error });
  }
  const { env, fleet } = (value ?? {}) as {
    env?: unknown;
    fleet?: { url?: unknown; tokenFile?: unknown } | null;
  };
  const isFleet = fleet == null || (typeof fleet.url === 'string' && typeof fleet.tokenFile === 'string');
  if (!isEnvironment(env) || !isFleet)
    throw invalid('environment_file must hold an environment: {"env": {"NAME": "text"}}');
  return { env, ...(fleet && { fleet: fleet as NonNullable<Handover['fleet']> }) };
}

function isEnvironment(value: unknown): value is NodeJS.ProcessEnv {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([name, text]) => typeof text === 'string' && !/[=\0]/.test(name) && !text.includes('\0'),
  );
}

/** Removes files of command lines that were killed before they could. */
function sweep(directory: string): void {
  for (const name of fs.readdirSync(directory)) {
    const file = path.join(directory, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat && Date.now() - stat.mtimeMs > LEFT_BEHIND_MS) fs.rmSync(file, { force: true });
  }
}

export { openHeadless } from './direct-control.ts';
export { LiveSessions, manifests, publishForgotten } from './live-sessions.ts';
export { tryManifestFacts } from './records/manifest-facts.ts';
export { readRegistry } from './records/registry-read.ts';
