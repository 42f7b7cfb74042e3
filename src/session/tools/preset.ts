import type { BackendKind, McpEntry } from '../../domain/index.ts';

/**
 * What Rouse knows about one tool: data, and two small functions. Everything a launch adds for a tool comes
 * from here and lives in flags and files of that session; the person's own configuration is never edited.
 */
export interface ToolPreset {
  /** As written in `--tool` and in the manifest. */
  tool: string;
  executable: string;
  /** Command words of a tool that comes with Rouse, instead of an executable on PATH. */
  words?: () => string[];
  /** By which its process is known: the command name, or the name of the script an interpreter runs. */
  processNames: string[];
  /** Names the directory in which the tool keeps configuration and credentials. */
  homeVariable: string | null;
  /** Where its version stands, or is told by `--version`; null for a program that may do anything when asked so. */
  npmPackage: string | null;
  /** By these the tool thinks it runs inside another instance of itself; they are not handed on. */
  nestedMarks: string[];
  role: RoleInjection;
  /** Arguments and files of this session only: hooks, skills, MCP servers. */
  additions?: (place: SessionPlace) => SessionAdditions;
  /** Registers an MCP server for this session only; absent when the tool has no flag or variable for that. */
  mcp?: (entry: McpEntry, place: SessionPlace) => SessionAdditions;
  /** One process per turn; absent when the tool cannot do that. */
  headless?: HeadlessShape;
}

export type RoleInjection =
  | { method: 'cli_flag'; args: (text: string) => string[] }
  /** The tool takes a first message on its command line and stays interactive; the role is that message. */
  | { method: 'first_message_flag'; args: (text: string) => string[] }
  | { method: 'none' };

export interface SessionPlace {
  root: string;
  launchDir: string;
  signalsDir: string;
  agentName: string;
  headless: boolean;
  /** The person's own arguments, which stand after what is added. */
  args: string[];
  /** The person's environment. */
  env: Readonly<Record<string, string | undefined>>;
  /** Our MCP server for this agent, when it belongs to a fleet. */
  mcp: McpEntry | undefined;
}

export interface SessionAdditions {
  args: string[];
  files: { path: string; content: string; mode?: number }[];
  /** Variables of the tool's process; no secrets, since they are kept in the manifest. */
  env?: Record<string, string>;
  /** Facts other rooms need; kept in the manifest under launch_plan.metadata.rouse. */
  metadata?: Record<string, string>;
}

/**
 * The command line of a turn as templates. `{args}` are the arguments of the launch, `{model}` those of the
 * request, `{role}` the tool's role arguments (empty without a role), `{session}` the chat to resume,
 * `{prompt}` the text. With `prompt: 'stdin'` the text is written to standard input and stands in no argument.
 */
export interface HeadlessShape {
  backend: BackendKind;
  prompt: 'stdin' | 'argument';
  /** Flags before which the role is put; `prefix` when it stands before the text of the first prompt. */
  role: 'arguments' | 'prefix';
  create: string[];
  exact: string[];
  last: string[];
}
