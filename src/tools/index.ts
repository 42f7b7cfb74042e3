/**
 * Tools: everything about each agent CLI, one file or folder per tool, and nowhere else.
 *
 * Promises  A new tool is one file here, a line in the list below and its captured screens; launch, lane, headless turns,
 *           wake prompts, command line and docs/agents.md take what they need from it.
 *           Unknown facts are absent: a tool without detectors is never ready, one without `headless` runs no turns.
 * Never     Types, launches or decides. It reads only what a tool writes about itself (signals/).
 * Errors    `invalid` for an unknown name or a file of ROUSE_TOOLS without a tool; `conflict` for a name that is taken.
 */
import { conflict, invalid, nearest } from '../base/index.ts';
import { compareVersions, type Detector, isInRange } from '../screen/index.ts';
import { claude } from './claude/index.ts';
import { codex } from './codex/index.ts';
import { commandTool } from './command.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode/index.ts';
import { readOwnTools } from './own-tools.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { headlessRole } from './role-words.ts';
import { scripted } from './scripted.ts';
import type { OwnPlace, Tool, ToolDetector } from './tool.ts';

export { type CommandTurns, commandTool, strangersDetector } from './command.ts';
export * from './headless-habits.ts';
export {
  MCP_NAME,
  MCP_VARIABLES,
  mcpJsonDocument,
  mcpJsonEntry,
  mcpTomlPairs,
} from './mcp.ts';
export { overlayHomeOf } from './overlay-home.ts';
export { headlessRole, roleWords } from './role-words.ts';
export type { KeptTurn, KeptTurnsPlace } from './signals/kept-turns.ts';
export type {
  OnSignal,
  ReceivedPrompt as Heard,
  SignalPlace,
  SignalReader,
  TurnEnd,
} from './signals/signal-reader.ts';
export { wasStartedWith } from './signals/started-with.ts';
export type * from './tool.ts';

const known: Tool[] = [claude, codex, gemini, opencode, kimi, qwen, copilot, pi, scripted];

/** The tools Rouse knows by name; every other program is launched as a command. */
export const TOOLS: readonly Tool[] = known;

let loaded = '';

/** Loads the tools that ROUSE_TOOLS names (files separated by ":"), for the life of this process. */
export async function loadOwnTools(named: string | undefined): Promise<void> {
  if (named === undefined || named === loaded) return;
  const files = named.split(':').filter((file) => file !== '');
  for (const tool of await readOwnTools(files)) {
    const taken = [tool.name, ...(tool.aliases ?? [])].find(toolOf);
    if (taken !== undefined) throw conflict(`ROUSE_TOOLS: there is already a tool "${taken}"`);
    known.push(tool);
  }
  loaded = named;
}

/** The tool with this name or alias. */
export function toolOf(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name || tool.aliases?.includes(name));
}

/** The names of the tools for which the condition holds; without a condition, all names. */
export function toolNames(having: (tool: Tool) => unknown = () => true): string[] {
  return TOOLS.filter(having).map(({ name }) => name);
}

const named = new WeakMap<ToolDetector, Detector>();

/** The tool's detectors, the newest versions first. */
export function detectorsOf({ name, detectors }: Tool): Detector[] {
  return detectors.map((each) => {
    const detector = named.get(each) ?? { tool: name, ...each };
    named.set(each, detector);
    return detector;
  });
}

export interface WhichDetector {
  version?: string | undefined;
  /** Whether the screen is the alternate one; used if the version is unknown. */
  alternate?: boolean | undefined;
}

/** The detector whose range includes the version; else the tool's nearest, which reports the version as outside. */
export function detectorFor(tool: string, { version, alternate }: WhichDetector = {}): Detector {
  const found = toolOf(tool);
  const detectors = found ? detectorsOf(found) : [];
  const buffer = alternate === undefined ? undefined : alternate ? 'alternate' : 'main';
  const fitting =
    version === undefined
      ? detectors.find((detector) => detector.buffer === undefined || detector.buffer === buffer)
      : detectors.find(({ versions }) => isInRange(version, versions));
  const older = detectors.findLast(({ versions }) => version && compareVersions(version, versions.from) < 0);
  const detector = fitting ?? older ?? detectors[0];
  if (detector) return detector;
  const names = toolNames(({ detectors }) => detectors.length > 0);
  const [near] = nearest(tool, names);
  throw invalid(`there is no detector for tool "${tool}"`, {
    hint: `known tools: ${names.join(', ')}${near ? `; did you mean ${near}?` : ''}`,
  });
}

/** What is needed to run a turn of a tool. */
export interface ToolHabits extends Omit<HeadlessHabits, 'backend' | 'role'> {
  tool: string;
  /** The arguments that set the role in every turn. */
  role: string[];
}

/** A program that is known only by its name: its events are read by the rules that match them. */
export function habitsOf(name: string): ToolHabits {
  const tool = toolOf(name);
  if (tool?.headless) return { ...tool.headless, tool: tool.name, role: headlessRole(tool) };
  const events = TOOLS.flatMap(({ headless }) => headless?.events ?? []);
  return { ...commandTool(name, []).headless!, tool: name, role: [], events: [...new Set(events)] };
}

/** Where the tool looks for skills; undefined if it has none, or its home is unknown. */
export function skillsDirectory(name: string, where: Whereabouts): string | undefined {
  const tool = toolOf(name);
  return tool?.skills && ownPlace(tool, tool.skills, where);
}

/** The file in which the tool configures MCP servers; undefined as above. */
export function mcpConfigFile(tool: Tool, where: Whereabouts): string | undefined {
  return tool.mcp?.config && ownPlace(tool, tool.mcp.config, where);
}

export interface Whereabouts {
  /** The tool's home, if it is set. */
  home?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** Below the home that is set or named by the tool's variable, otherwise below the person's home directory. */
function ownPlace(
  { homeVariable }: Tool,
  { inHome, byDefault, variable = homeVariable ?? '' }: OwnPlace,
  { home, env }: Whereabouts,
): string | undefined {
  const toolHome = home ?? (variable === '' ? undefined : env[variable]);
  if (toolHome) return `${toolHome}/${inHome}`;
  return env['HOME'] ? `${env['HOME']}/${byDefault}` : undefined;
}
