import * as path from 'node:path';
import { proxyExceptions, readIfExists } from '../../base/index.ts';
import { habitsOf, TOOLS, type TurnShape } from '../../tools/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import type { HeadlessState } from '../port.ts';
import { launchFact, type SurfaceManifest } from '../surface-manifest.ts';
import type { TurnTool } from './turn/build-turn.ts';

type Text = string | null | undefined;

/** The parts of a session manifest a headless surface is opened from. */
export interface HeadlessManifest extends SurfaceManifest {
  registry_generation_id?: Text;
  headless?:
    | {
        session_id?: Text;
        turn_index: number;
        role_bootstrap_applied: boolean;
        resume_selection_kind?: 'none' | 'last' | 'exact' | undefined;
        resume_selection_value?: Text;
      }
    | null
    | undefined;
  agent_launch_authority?:
    | {
        launch_env?:
          | ({ mode: 'literal'; name: string; value: string } | { mode: 'inherit'; name: string })[]
          | undefined;
      }
    | null
    | undefined;
}

/** What changes in the manifest's `headless` section as turns end: `session_id`, `turn_index`, `role_bootstrap_applied`. */
export interface HeadlessProgress {
  sessionId: string | null;
  turnIndex: number;
  roleBootstrapApplied: boolean;
}

export function progressOf({ headless }: HeadlessManifest): HeadlessProgress {
  return {
    sessionId: headless?.session_id ?? null,
    turnIndex: headless?.turn_index ?? 0,
    roleBootstrapApplied: headless?.role_bootstrap_applied ?? false,
  };
}

export function startupDefault({
  headless,
}: HeadlessManifest): HeadlessState['chat_session']['startup_default'] {
  const kind = headless?.resume_selection_kind ?? 'none';
  const id = headless?.resume_selection_value ?? null;
  if (kind === 'exact' && id !== null) return { mode: 'exact', id };
  return { mode: kind === 'last' ? 'tool_last_or_new' : 'new', id: null };
}

/**
 * The tool and its turns. The command line is the one that the launch recorded, so the manifest shows what runs. If the
 * manifest has none, because another program wrote it, the tool runs as described in `tools/`.
 */
export function turnTool(manifest: HeadlessManifest): TurnTool {
  const recorded = recordedHeadless(manifest);
  const habits = habitsOf(manifest.tool);
  const role = recorded['role_prompt'];
  return {
    habits,
    shape: readShape(recorded) ?? habits.shape,
    executable: manifest.launch_plan.executable ?? manifest.tool,
    args: manifest.launch_plan.args ?? [],
    role: typeof role === 'string' && role !== '' ? role : null,
  };
}

/** A headless tool has no lasting process: its instance is the session as it was launched. */
export function instanceOf(manifest: HeadlessManifest, sessionRoot: string): string {
  const session = manifest.runtime?.session_id ?? path.basename(sessionRoot);
  return manifest.registry_generation_id ? `${session}:${manifest.registry_generation_id}` : session;
}

function recordedHeadless(manifest: HeadlessManifest): Record<string, unknown> {
  const own = manifest.launch_plan.metadata?.['rouse'] as Record<string, unknown> | null | undefined;
  const found = own?.['headless'];
  return found !== null && typeof found === 'object' ? (found as Record<string, unknown>) : {};
}

function readShape(recorded: Record<string, unknown>): TurnShape | undefined {
  const words = ['create', 'exact', 'last'].map((name) => recorded[name]);
  const isWords = (value: unknown): boolean =>
    Array.isArray(value) && value.every((word) => typeof word === 'string');
  if (!words.every(isWords)) return undefined;
  const [create, exact, last] = words as [string[], string[], string[]];
  return {
    prompt: recorded['prompt'] === 'argument' ? 'argument' : 'stdin',
    role: recorded['role'] === 'arguments' ? 'arguments' : 'prefix',
    create,
    exact,
    last,
  };
}

/** These belong to a terminal or to tests. */
const NOT_FOR_THE_TOOL =
  /^(TMUX|TMUX_PANE|TERM|TERM_PROGRAM|TERM_PROGRAM_VERSION|COLUMNS|LINES|SHLVL|PWD|OLDPWD|_|ROUSE_CLOCK_SHIFT_FILE|ROUSE_CRASH_AT)$/;
const OF_THE_GATEWAY: readonly string[] = [
  VARIABLE.executionMode,
  VARIABLE.windowId,
  VARIABLE.windowIndex,
  VARIABLE.paneId,
];

/**
 * The environment of a turn: that of the gateway, which it inherited from the caller of attach; the tool's home; the
 * variables of a join; and the session it belongs to. Variables that would make a tool think it runs inside another
 * instance of itself are removed. The environment is never in an argument or a file.
 */
export function turnEnvironment(
  manifest: HeadlessManifest,
  sessionRoot: string,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const nested = new Set(TOOLS.flatMap((tool) => tool.process.nestedMarks));
  const handed = Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !NOT_FOR_THE_TOOL.test(name) && !OF_THE_GATEWAY.includes(name) && !nested.has(name),
    ),
  );
  const home = manifest.launch_plan.home_selector;
  const literals = (manifest.agent_launch_authority?.launch_env ?? []).flatMap((each) =>
    each.mode === 'literal' ? [[each.name, each.value]] : [],
  );
  return {
    ...handed,
    ...(home?.env_var && home.home_path && { [home.env_var]: home.home_path }),
    ...Object.fromEntries(literals),
    ...proxyExceptions(handed),
    ...agentToken(manifest),
    TERM: 'dumb',
    [VARIABLE.manifestPath]: path.join(sessionRoot, 'manifest.json'),
    ...(manifest.agent_id && { [VARIABLE.agentId]: manifest.agent_id }),
  };
}

/** For a tool that takes the token of its own MCP server from its environment. */
function agentToken(manifest: HeadlessManifest): Record<string, string> {
  const variable = launchFact(manifest, 'mcp_token_variable');
  const file = launchFact(manifest, 'mcp_token_file');
  const token = file && readIfExists(file)?.trim();
  return variable && token ? { [variable]: token } : {};
}
