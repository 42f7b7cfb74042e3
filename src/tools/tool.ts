import type { Detector } from '../screen/index.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import type { KeptTurn, KeptTurnsPlace } from './signals/kept-turns.ts';
import type { SignalPlace, SignalReader } from './signals/signal-reader.ts';

/**
 * What Rouse knows about one agent CLI: data, and a few small functions. Everything that a launch adds for a tool is
 * defined here and is in flags and files of that session; the person's own configuration is never edited.
 */
export interface Tool {
  /** As written in `--tool` and in the manifest. */
  name: string;
  /** Names that other programs use for it. */
  aliases?: string[];
  process: ToolProcess;
  /** The variable that names the tool's directory for configuration and credentials. */
  homeVariable: string | null;
  role: RoleInjection;
  /** The words of an interactive start that continues a conversation: `{args}`, `{session}`. Absent: not known. */
  resume?: string[];
  /** Flags with one value that a project's file may set: they only choose; they allow, read and run nothing. */
  harmlessFlags?: string[];
  /** Arguments and files of this session only: hooks and the like. */
  additions?: (place: SessionPlace) => SessionAdditions;
  /** Absent if the tool takes no MCP servers. */
  mcp?: ToolMcp;
  /** Where it looks for skills, as `<place>/<skill>/SKILL.md`. */
  skills?: ToolSkills;
  /** One process per turn; absent if the tool cannot do that. */
  headless?: HeadlessHabits;
  /** How its screens are read and how it treats input, the newest versions first. Empty: it must be calibrated. */
  detectors: ToolDetector[];
  /** What it reports about itself apart from its screen; the title is part of the screen. */
  signals?: (place: SignalPlace) => SignalReader[];
  /** Turns from the records that the tool keeps, also after its process has ended, oldest first. */
  keptTurns?: (place: KeptTurnsPlace) => KeptTurn[];
  /** For docs/agents.md; absent if the tool is not listed there. */
  notes?: ToolNotes;
}

export type ToolDetector = Omit<Detector, 'tool'>;

export interface ToolProcess {
  executable: string;
  /** A program that comes with Rouse, instead of one on PATH. */
  packaged?: true;
  /** Names that identify its process: the command name, or the name of the script an interpreter runs. */
  names: string[];
  /** The package with its version, which `--version` also prints; null if running it with `--version` may not be safe. */
  npmPackage: string | null;
  /** Variables that make the tool think it runs inside another instance of itself; they are not passed on. */
  nestedMarks: string[];
}

/** The words for a role: `{text}`, or `{toml}` for the text as a quoted TOML string. */
export type RoleInjection =
  | { method: 'cli_flag'; words: string[] }
  /** The role is the first message, which the tool takes on its command line and stays interactive. */
  | { method: 'first_message_flag'; words: string[] }
  | { method: 'none' };

/** A file or directory of the tool. */
export interface OwnPlace {
  /** Relative to the tool's home, if it is set or named by its variable. */
  inHome: string;
  /** Otherwise, relative to the person's home directory. */
  byDefault: string;
  /** The variable with the home for this place, if it is not `homeVariable`. */
  variable?: string;
}

export interface ToolSkills extends OwnPlace {
  /** How a prompt runs an installed skill; absent: the prompt names the skill, and the tool finds it. */
  call?: (skill: string, gatewayUrl: string) => string;
}

/** How a tool starts our MCP server. It has no secret: the server finds the agent's token through the manifest. */
export interface McpEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** How an agent reaches our tools: its gateway's own address, a program of its session, or code in the tool's process. */
export type McpDoor = 'http' | 'stdio' | 'extension';

/** One of our tools, as a model sees it. */
export interface OfferedTool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of its arguments. */
  input: object;
}

/** Our tools for the agent of one session. */
export interface SessionMcp {
  /** Starts a server of this agent on its standard streams. */
  program: McpEntry;
  /** The same server in its gateway; absent if no gateway runs. */
  http?: McpAddress | undefined;
  tools: readonly OfferedTool[];
  /** They may be used without a question, each by its name and nothing else, if the tool can be configured so. */
  allowed: boolean;
}

export interface McpAddress {
  url: string;
  token: string;
  /** The same token, in a file that only its owner can read. */
  tokenFile: string;
}

/** What a session adds for our server, or why it adds nothing. */
export type McpAdditions =
  | (SessionAdditions & { door: McpDoor; server: string; tokenVariable?: string })
  | { declined: string };

/** What a tool does while the server is away, and what brings our tools back; Markdown for docs/agents.md. */
export interface McpAbsence {
  /** The server was away when the tool started. */
  atStart: string;
  /** The server went away and came back while the tool ran. */
  whileRunning: string;
}

/** How a tool takes MCP servers. */
export interface ToolMcp {
  /** The name under which the model sees a tool of a server. */
  modelName: (server: string, tool: string) => string;
  /** The file in which a person configures servers. */
  config?: OwnPlace & { format: 'json' | 'toml' };
  /** The member of a JSON document that lists servers. Default: `mcpServers`. */
  member?: string;
  /** Our entry in such a document. Default: the entry unchanged. */
  value?: (entry: McpEntry) => object;
  /** Registers our server for one session only; absent if the tool has no way to do that. */
  forSession?: (mcp: SessionMcp, place: SessionPlace) => McpAdditions;
  absence?: McpAbsence;
}

export interface SessionPlace {
  root: string;
  launchDir: string;
  signalsDir: string;
  agentName: string;
  headless: boolean;
  /** The person's own arguments, which come after the added ones. */
  args: string[];
  /** The person's environment. */
  env: Readonly<Record<string, string | undefined>>;
  workdir: string;
  /** The version of the tool, if it is known. */
  version?: string | undefined;
  /** The tool's home, if it is set or named by its variable. */
  home: string | undefined;
  /** Reads a file of the person, so that additions do not collide with it; undefined if it does not exist. */
  read: (file: string) => string | undefined;
  entries: (directory: string) => string[];
  /** Our tools for this agent; undefined if it gets none. */
  mcp: SessionMcp | undefined;
}

export interface SessionAdditions {
  args: string[];
  files: { path: string; content: string; mode?: number }[];
  /** Links in a directory of this session that the tool uses instead of its own home. */
  links?: { path: string; target: string }[];
  /** Variables of the tool's process; no secrets, since they are kept in the manifest. */
  env?: Record<string, string>;
  /** The same, but computed at every start and never stored, because they contain settings of the person. */
  passingEnv?: Record<string, string>;
  /** Facts for other rooms, stored in the manifest under launch_plan.metadata.rouse. */
  metadata?: Record<string, unknown>;
}

/** What no other field contains: cells of the tables in docs/agents.md, as Markdown. */
export interface ToolNotes {
  /** What a launch adds or leaves out, apart from the mail tools. */
  added?: string;
  /** Where it reports what it does, apart from its screen. */
  beside: string;
  /** What proves that a prompt was taken, and how a turn ended. */
  taken: string;
  ended: string;
  /** How it gets our tools, and how they are allowed in advance. */
  mcp: string;
  allowsTools: string;
  /** What its commands can reach, and so why mail is not fetched with curl. */
  sandbox: string;
  /** How its shell tool is allowed to fetch mail with curl. */
  allowsMail: string;
  /** When its first start asks whether it may work in that directory; absent if it does not ask. */
  asksTrust?: string;
}
