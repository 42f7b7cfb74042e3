import * as fs from 'node:fs';
import * as path from 'node:path';
import { invalid, nearest, unsupported } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';
import { findExecutable } from '../equip/find-executable.ts';
import { PRESETS, presetOf } from '../tools/catalog.ts';
import { type CommandTurns, command } from '../tools/command.ts';
import type { HeadlessShape, SessionAdditions, SessionPlace, ToolPreset } from '../tools/preset.ts';

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

/** How the tool is started, without any secret. */
export interface ToolPlan {
  preset: ToolPreset;
  backend: BackendKind;
  /** Program and its fixed first words. */
  words: string[];
  roleArgs: string[];
  /** The person's own arguments. */
  args: string[];
  home: { env_var: string; home_path: string } | null;
  role: { method: string; applied: boolean };
  headless: HeadlessShape | undefined;
}

export function planTool(request: ToolRequest, env: NodeJS.ProcessEnv): ToolPlan {
  const { preset, args } = choosePreset(request, env);
  const headless = request.headless ? requireHeadless(preset) : undefined;
  const role = request.headless ? [] : roleArgs(preset, request.rolePrompt);
  return {
    preset,
    backend: headless?.backend ?? 'local_interactive',
    words: preset.words?.() ?? [findExecutable(preset.executable, env, request.workdir)],
    roleArgs: role,
    args,
    home: chooseHome(preset, request.home, env),
    role: { method: preset.role.method, applied: role.length > 0 },
    headless,
  };
}

/** What this session adds, then the role, then the person's own arguments, which win where a tool takes the last. */
export function argsInSession(plan: ToolPlan, additions: SessionAdditions): string[] {
  return [...plan.words.slice(1), ...additions.args, ...plan.roleArgs, ...plan.args];
}

export function additionsFor(preset: ToolPreset, place: SessionPlace): SessionAdditions {
  const own = preset.additions?.(place) ?? { args: [], files: [] };
  const mcp = place.mcp && preset.mcp?.(place.mcp, place);
  if (!mcp) return own;
  return {
    ...own,
    args: [...mcp.args, ...own.args],
    files: [...own.files, ...mcp.files],
    env: { ...own.env, ...mcp.env },
  };
}

/** A name we know, `command` with a command line, or any program. A slip of a known name is not a program. */
function choosePreset(request: ToolRequest, env: NodeJS.ProcessEnv): { preset: ToolPreset; args: string[] } {
  const { tool, args } = request;
  const known = presetOf(tool);
  if (known) return { preset: known, args };
  if (tool !== 'command') return { preset: commandOrSlip(request, env), args };
  const [program, ...rest] = args;
  if (program === undefined) {
    throw invalid('--tool command needs the command after "--"', {
      hint: 'rouse agents launch --tool command --agent-name n -- my-agent --flag',
    });
  }
  return { preset: command(program, rest, request), args: rest };
}

function commandOrSlip(request: ToolRequest, env: NodeJS.ProcessEnv): ToolPreset {
  const { tool, args, workdir } = request;
  try {
    findExecutable(tool, env, workdir);
  } catch (error) {
    const known = PRESETS.map((preset) => preset.tool);
    const [close] = nearest(tool, known);
    if (!close) throw error;
    throw invalid(`there is no tool "${tool}"`, {
      hint: `did you mean "${close}"? Known: ${known.join(', ')}, command, or any program`,
    });
  }
  return command(tool, args, request);
}

function requireHeadless(preset: ToolPreset): HeadlessShape {
  if (preset.headless) return preset.headless;
  throw unsupported(`${preset.tool} cannot run headless`);
}

function roleArgs(preset: ToolPreset, text: string | undefined): string[] {
  if (text === undefined) return [];
  if (preset.role.method !== 'none') return preset.role.args(text);
  throw unsupported(`${preset.tool} takes no role prompt at start`, {
    hint: 'put it into a file the tool reads by itself, or send it as the first prompt',
  });
}

function chooseHome(preset: ToolPreset, given: string | undefined, env: NodeJS.ProcessEnv): ToolPlan['home'] {
  const variable = preset.homeVariable;
  if (variable === null) {
    if (given === undefined) return null;
    throw unsupported(`${preset.tool} has no variable that selects its home directory`);
  }
  const home = given ?? env[variable];
  if (!home) return null;
  if (!path.isAbsolute(home))
    throw invalid(`the home directory of the tool must be absolute, but is "${home}"`);
  return { env_var: variable, home_path: home };
}

/** The working directory as the tool will have it: it must be there, and a directory. */
export function requireWorkdir(given: string | undefined, cwd: string): string {
  const directory = path.resolve(cwd, given ?? '.');
  const stat = fs.statSync(directory, { throwIfNoEntry: false });
  if (!stat) throw invalid(`--workdir ${directory} does not exist`);
  if (!stat.isDirectory()) throw invalid(`--workdir ${directory} is not a directory`);
  return fs.realpathSync(directory);
}
