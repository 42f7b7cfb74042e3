/**
 * Tools: what is known of each agent CLI, one file or folder per tool, and nothing of it anywhere else.
 *
 * Promises  A new tool is one file here, a line in the list below and its captured screens; launch, lane, headless turns,
 *           wake prompts, command line and docs/agents.md take what they need from it.
 *           What is not known is absent: a tool without detectors is never ready, one without `headless` runs no turns.
 * Never     Types, launches or decides. It may read what a tool writes about itself (signals/), nothing else.
 * Errors    `invalid` for a name nobody knows; `conflict` for one that is taken; `invalid` for a file of ROUSE_TOOLS that holds no tool.
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

/** Makes the tools known that ROUSE_TOOLS names, as files with ":" between them, for the life of this process. */
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

/** By its name, or by one that other programs use for it. */
export function toolOf(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name || tool.aliases?.includes(name));
}

/** Their names; with a condition, only of those it holds for. */
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
  /** Whether the screen is the alternate one; used when nobody knows the version. */
  alternate?: boolean | undefined;
}

/** The detector whose range holds the version; else the tool's nearest, which will say that the version is outside. */
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

/** What running a turn of a tool needs to know. */
export interface ToolHabits extends Omit<HeadlessHabits, 'backend' | 'role'> {
  tool: string;
  /** Words for the role in every turn. */
  role: string[];
}

/** A program known by nothing but its name: its events are read by the rules of whichever tool they look like. */
export function habitsOf(name: string): ToolHabits {
  const tool = toolOf(name);
  if (tool?.headless) return { ...tool.headless, tool: tool.name, role: headlessRole(tool) };
  const events = TOOLS.flatMap(({ headless }) => headless?.events ?? []);
  return { ...commandTool(name, []).headless!, tool: name, role: [], events: [...new Set(events)] };
}

/** Where the tool looks for skills; undefined when it has none, or when its home is not known. */
export function skillsDirectory(name: string, where: Whereabouts): string | undefined {
  const tool = toolOf(name);
  return tool?.skills && ownPlace(tool, tool.skills, where);
}

/** The file in which the tool keeps its MCP servers; undefined as above. */
export function mcpConfigFile(tool: Tool, where: Whereabouts): string | undefined {
  return tool.mcp?.config && ownPlace(tool, tool.mcp.config, where);
}

export interface Whereabouts {
  /** The tool's home, when one is given. */
  home?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/** Below the home that is given or named by the tool's variable, else below the person's own. */
function ownPlace(
  { homeVariable }: Tool,
  { inHome, byDefault, variable = homeVariable ?? '' }: OwnPlace,
  { home, env }: Whereabouts,
): string | undefined {
  const toolHome = home ?? (variable === '' ? undefined : env[variable]);
  if (toolHome) return `${toolHome}/${inHome}`;
  return env['HOME'] ? `${env['HOME']}/${byDefault}` : undefined;
}
