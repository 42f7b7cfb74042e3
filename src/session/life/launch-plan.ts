import * as fs from 'node:fs';
import * as path from 'node:path';
import { findProgram, invalid, nearest, unavailable, unsupported } from '../../base/index.ts';
import { sessionFleet } from '../../client/index.ts';
import { type BackendKind, isHeadless, LOOPBACK } from '../../domain/index.ts';
import {
  type CommandTurns,
  commandTool,
  type HeadlessHabits,
  roleWords,
  type SessionAdditions,
  type SessionPlace,
  type Tool,
  toolNames,
  toolOf,
} from '../../tools/index.ts';
import { BACKEND } from '../../wire/houmao/index.ts';
import type { SessionManifest } from '../../wire/index.ts';
import { servesTools, sessionMcp } from '../equip/mcp.ts';
import { programWords } from '../equip/programs.ts';
import { versionNotes } from '../examine.ts';
import { formerGatewayPort } from '../gateway/attach-plan.ts';
import { probeGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { readManifest, updateManifest } from '../records/manifest-store.ts';
import { readToken, type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { writeAdditions } from './tool-pane.ts';

export interface ToolRequest extends CommandTurns {
  tool: string;
  /** Arguments for the tool; with the tool `command`, the command line itself. */
  args: string[];
  headless: boolean;
  rolePrompt?: string | undefined;
  /** Directory for the tool's own configuration and credentials. */
  home?: string | undefined;
  workdir: string;
}

/** How the tool is started, without secrets. */
export interface ToolPlan {
  tool: Tool;
  backend: BackendKind;
  /** The program and its fixed first words. */
  words: string[];
  roleArgs: string[];
  /** The person's own arguments. */
  args: string[];
  home: { env_var: string; home_path: string } | null;
  role: { method: string; applied: boolean };
  headless: HeadlessHabits | undefined;
}

export function planTool(request: ToolRequest, env: NodeJS.ProcessEnv): ToolPlan {
  const { tool, args } = chooseTool(request, env);
  const headless = request.headless ? requireHeadless(tool) : undefined;
  const role = request.headless ? [] : roleArgs(tool, request.rolePrompt);
  return {
    tool,
    backend: headless?.backend ?? BACKEND.terminal,
    words: commandWords(tool, env, request.workdir),
    roleArgs: role,
    args,
    home: chooseHome(tool, request.home, env),
    role: { method: tool.role.method, applied: role.length > 0 },
    headless,
  };
}

/** The program and its fixed first words. */
function commandWords({ process }: Tool, env: NodeJS.ProcessEnv, workdir: string): string[] {
  return process.packaged
    ? programWords(process.executable)
    : [findExecutable(process.executable, env, workdir)];
}

/** What this session adds, then the role, then the person's own arguments, which win if a tool uses the last one. */
export function argsInSession(plan: ToolPlan, additions: SessionAdditions): string[] {
  return [...plan.words.slice(1), ...additions.args, ...plan.roleArgs, ...plan.args];
}

/** What a session adds, and why our own tools are missing if they are. */
export interface PlannedAdditions extends SessionAdditions {
  /** Why it has none of our tools, although it should have. */
  declined?: string | undefined;
}

export function additionsFor(tool: Tool, place: SessionPlace): PlannedAdditions {
  const own = tool.additions?.(place) ?? { args: [], files: [] };
  const mcp = place.mcp && tool.mcp?.forSession?.(place.mcp, place);
  if (!place.mcp || !mcp) return own;
  const kept = { allowed: place.mcp.allowed };
  if ('declined' in mcp)
    return {
      ...own,
      metadata: { ...own.metadata, mcp: { ...kept, args: [], env: [] } },
      declined: mcp.declined,
    };
  const { door, server, tokenVariable, args, files, links, env = {}, passingEnv } = mcp;
  return {
    args: [...args, ...own.args],
    files: [...own.files, ...files],
    links,
    env: { ...own.env, ...env },
    passingEnv: { ...passingEnv, ...(tokenVariable && { [tokenVariable]: place.mcp.http?.token ?? '' }) },
    metadata: {
      ...own.metadata,
      ...mcp.metadata,
      mcp_door: door,
      mcp_server: server,
      ...(place.mcp.http && { mcp_url: place.mcp.http.url }),
      ...(tokenVariable &&
        place.mcp.http && { mcp_token_variable: tokenVariable, mcp_token_file: place.mcp.http.tokenFile }),
      mcp: { ...kept, args, env: Object.keys(env) },
    },
  };
}

/** The place where a tool's additions are made, with read access to the person's own files. */
export function placeOf(
  { root, launch: launchDir, signals: signalsDir }: SessionPaths,
  home: string | undefined,
  more: Omit<SessionPlace, 'root' | 'launchDir' | 'signalsDir' | 'home' | 'read' | 'entries'>,
): SessionPlace {
  return { ...more, root, launchDir, signalsDir, home, read: readPersons, entries: entriesOf };
}

/** The content of the person's file; undefined if it cannot be read. */
function readPersons(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function entriesOf(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

/** Chooses a known tool, `command` with a command line, or any program. A typo of a known name is not a program. */
function chooseTool(request: ToolRequest, env: NodeJS.ProcessEnv): { tool: Tool; args: string[] } {
  const { tool: name, args } = request;
  const known = toolOf(name);
  if (known) return { tool: known, args };
  if (name !== 'command') return { tool: commandOrTypo(request, env), args };
  const [program, ...rest] = args;
  if (program === undefined) {
    throw invalid('--tool command needs the command after "--"', {
      hint: 'rouse agents launch --tool command --agent-name n -- my-agent --flag',
    });
  }
  return { tool: commandTool(program, rest, request), args: rest };
}

function commandOrTypo(request: ToolRequest, env: NodeJS.ProcessEnv): Tool {
  const { tool, args, workdir } = request;
  try {
    findExecutable(tool, env, workdir);
  } catch (error) {
    const known = toolNames();
    const [close] = nearest(tool, known);
    if (!close) throw error;
    throw invalid(`there is no tool "${tool}"`, {
      hint: `did you mean "${close}"? Known: ${known.join(', ')}, command, or any program`,
    });
  }
  return commandTool(tool, args, request);
}

function requireHeadless({ name, headless }: Tool): HeadlessHabits {
  if (headless) return headless;
  throw unsupported(`${name} cannot run headless`);
}

function roleArgs({ name, role }: Tool, text: string | undefined): string[] {
  if (text === undefined) return [];
  if (role.method !== 'none') return roleWords(role.words, text);
  throw unsupported(`${name} takes no role prompt at start`, {
    hint: 'put it into a file that the tool reads, or send it as the first prompt',
  });
}

function chooseHome(tool: Tool, requested: string | undefined, env: NodeJS.ProcessEnv): ToolPlan['home'] {
  const variable = tool.homeVariable;
  if (variable === null) {
    if (requested === undefined) return null;
    throw unsupported(`${tool.name} has no variable that selects its home directory`);
  }
  const home = requested ?? env[variable];
  if (!home) return null;
  if (!path.isAbsolute(home))
    throw invalid(`the home directory of the tool must be absolute, but is "${home}"`);
  return { env_var: variable, home_path: home };
}

/** Returns the real path of the working directory. It must exist and be a directory. */
export function requireWorkdir(requested: string | undefined, cwd: string): string {
  const directory = path.resolve(cwd, requested ?? '.');
  const stat = fs.statSync(directory, { throwIfNoEntry: false });
  if (!stat) throw invalid(`--workdir ${directory} does not exist`, { hint: 'create it, or name another' });
  if (!stat.isDirectory()) throw invalid(`--workdir ${directory} is not a directory`);
  return fs.realpathSync(directory);
}

/** Returns the absolute path of a program, or throws why it cannot be run. */
function findExecutable(name: string, env: NodeJS.ProcessEnv, cwd: string): string {
  const found = findProgram(name, env, cwd);
  if (found !== undefined) return found;
  if (name.includes('/')) throw invalid(`${path.resolve(cwd, name)} is not a program that can be run`);
  throw unavailable(`"${name}" is not installed, or not on PATH`, {
    hint: `install it, or use its path: --tool /path/to/${name}`,
    facts: { cause: 'program_missing', program: name },
  });
}

/** What a person should know at once about an agent that was launched elsewhere, from its manifest. */
export function launchNotes({ root, tool }: ManifestFacts): string[] {
  const version = readManifest(root).launch_policy_provenance?.detected_tool_version;
  return versionNotes(tool, typeof version === 'string' ? version : null);
}

interface Renewed {
  manifest: SessionManifest;
  /** Variables of this start that are stored nowhere. */
  passingEnv: Record<string, string>;
}

/** What the launch recorded about our tools in the manifest. */
interface NotedTools {
  allowed: boolean;
  /** Consecutive words of the command line. */
  args: string[];
  /** Names of variables. */
  env: string[];
}

/**
 * Adds our tools again for a new start: from its gateway if one runs now, wherever it listens, or follows; otherwise from
 * a program. A session that was launched without them, or whose command line was changed since, stays as it is.
 */
export async function renewTools(
  context: SessionContext,
  facts: ManifestFacts,
  gatewayFollows: boolean,
): Promise<Renewed> {
  const manifest = readManifest(facts.root);
  const noted = notedTools(manifest);
  const first = toolOf(facts.tool)?.process.packaged ? 1 : 0;
  const at = noted && placeIn(manifest.launch_plan.args, noted.args, first);
  if (!noted || at === undefined) return { manifest, passingEnv: {} };
  const own = manifest.launch_plan.args.filter((_, i) => i < at || i >= at + noted.args.length);
  const gatewayPort = await portOfGateway(context, sessionPaths(facts.root), gatewayFollows);
  const additions = await additionsNow(context, facts, { manifest, noted, own, gatewayPort });
  if (!additions) return { manifest, passingEnv: {} };
  writeAdditions(additions);
  const args = [...own.slice(0, at), ...(noteIn(additions)?.args ?? []), ...own.slice(at)];
  const renewed = await updateManifest(facts.root, context.clock, (before) => ({
    ...before,
    launch_plan: { ...before.launch_plan, args, metadata: metadataAfter(before, additions) },
    agent_launch_authority: before.agent_launch_authority && {
      ...before.agent_launch_authority,
      launch_args: args,
      launch_env: [
        ...before.agent_launch_authority.launch_env.filter(({ name }) => !noted.env.includes(name)),
        ...variablesOf(additions),
      ],
    },
  }));
  return { manifest: renewed, passingEnv: additions.passingEnv ?? {} };
}

async function additionsNow(
  context: SessionContext,
  facts: ManifestFacts,
  {
    manifest,
    noted,
    own,
    gatewayPort,
  }: { manifest: SessionManifest; noted: NotedTools; own: string[]; gatewayPort: number | undefined },
): Promise<PlannedAdditions | undefined> {
  const tool = toolOf(facts.tool);
  if (!tool) return undefined;
  const paths = sessionPaths(facts.root);
  const mcp = await sessionMcp(
    {
      ...{ root: facts.root, manifest: facts.path, agentId: facts.agentId, allowed: noted.allowed },
      hasMailbox: manifest.launch_plan.mailbox != null,
      isMember: sessionFleet(facts.root) !== undefined,
      gatewayPort,
    },
    context.env,
  );
  const place = placeOf(paths, manifest.launch_plan.home_selector?.home_path ?? undefined, {
    ...{ agentName: facts.agentName, headless: isHeadless(facts.backend), args: own, mcp },
    ...{ env: context.env, workdir: facts.workingDirectory },
  });
  // Hooks and the like stay. Only the part for our tools is made again.
  return additionsFor({ ...tool, additions: undefined } as typeof tool, place);
}

async function portOfGateway(
  { env }: SessionContext,
  paths: SessionPaths,
  follows: boolean,
): Promise<number | undefined> {
  const life = await probeGateway(paths, readToken(paths, env));
  if (follows && life.life !== 'live' && life.life !== 'silent') return formerGatewayPort(paths);
  if (life.life !== 'live' || life.gateway.host !== LOOPBACK) return undefined;
  return (await servesTools(paths.root, life.gateway.port)) ? life.gateway.port : undefined;
}

function notedTools(manifest: SessionManifest): NotedTools | undefined {
  const ours = manifest.launch_plan.metadata?.['rouse'] as { mcp?: NotedTools } | undefined;
  return ours?.mcp;
}

const noteIn = ({ metadata }: PlannedAdditions): NotedTools | undefined =>
  metadata?.['mcp'] as NotedTools | undefined;

/** The position of these words in the arguments. If there are none, the position after the program's own script. */
function placeIn(args: readonly string[], words: readonly string[], first: number): number | undefined {
  const at = args.findIndex((_, i) => words.every((word, k) => args[i + k] === word));
  return words.length === 0 ? first : at < 0 ? undefined : at;
}

function metadataAfter({ launch_plan: plan }: SessionManifest, { metadata }: PlannedAdditions) {
  const ours = plan.metadata['rouse'] as Record<string, unknown>;
  const kept = Object.entries(ours).filter(([name]) => name !== 'mcp' && !name.startsWith('mcp_'));
  return { ...plan.metadata, rouse: { ...Object.fromEntries(kept), ...metadata } };
}

const variablesOf = ({ env = {} }: PlannedAdditions) =>
  Object.entries(env).map(([name, value]) => ({ mode: 'literal' as const, name, value }));
