import type { Detector } from '../screen/index.ts';
import type { HeadlessHabits } from './headless-habits.ts';
import type { SignalPlace, SignalReader } from './signals/signal-reader.ts';

/**
 * What Rouse knows about one agent CLI: data, and a few small functions. Everything a launch adds for a tool comes from
 * here and lives in flags and files of that session; the person's own configuration is never edited.
 */
export interface Tool {
  /** As written in `--tool` and in the manifest. */
  name: string;
  /** Names other programs use for it. */
  aliases?: string[];
  process: ToolProcess;
  /** Names the directory in which the tool keeps configuration and credentials. */
  homeVariable: string | null;
  role: RoleInjection;
  /** The words of an interactive start that goes on with a conversation: `{args}`, `{session}`. Absent: nobody knows how. */
  resume?: string[];
  /** Flags with one value that a project's file may give: they choose, and allow, read and run nothing. */
  harmlessFlags?: string[];
  /** Arguments and files of this session only: hooks and the like. */
  additions?: (place: SessionPlace) => SessionAdditions;
  /** Absent when the tool takes no MCP servers. */
  mcp?: ToolMcp;
  /** Where it looks for a person's skills, as `<place>/<skill>/SKILL.md`. */
  skills?: ToolSkills;
  /** One process per turn; absent when the tool cannot do that. */
  headless?: HeadlessHabits;
  /** How its screens are read and what it does to input, the newest versions first; none: it must be calibrated. */
  detectors: ToolDetector[];
  /** What it tells of itself beside its screen; the title is part of the screen. */
  signals?: (place: SignalPlace) => SignalReader[];
  /** For docs/agents.md; absent for a tool that is not listed there. */
  notes?: ToolNotes;
}

export type ToolDetector = Omit<Detector, 'tool'>;

export interface ToolProcess {
  executable: string;
  /** A program that comes with Rouse, instead of one on PATH. */
  packaged?: true;
  /** By which its process is known: the command name, or the name of the script an interpreter runs. */
  names: string[];
  /** Where its version stands, or is told by `--version`; null for a program that may do anything when asked so. */
  npmPackage: string | null;
  /** By these the tool thinks it runs inside another instance of itself; they are not handed on. */
  nestedMarks: string[];
}

/** The words of a role: `{text}`, or `{toml}` for the text as a quoted TOML string. */
export type RoleInjection =
  | { method: 'cli_flag'; words: string[] }
  /** The tool takes a first message on its command line and stays interactive; the role is that message. */
  | { method: 'first_message_flag'; words: string[] }
  | { method: 'none' };

/** A file or directory of the tool's own. */
export interface OwnPlace {
  /** Below the tool's home, where one is given or named by its variable. */
  inHome: string;
  /** Below the person's home directory, when no home of the tool is named. */
  byDefault: string;
  /** Names the home for this place, where `homeVariable` does not. */
  variable?: string;
}

export interface ToolSkills extends OwnPlace {
  /** What a prompt says to run an installed skill; absent: the skill is named, and the tool finds it. */
  call?: (skill: string, gatewayUrl: string) => string;
}

/** How a tool starts an MCP server of ours. No secret stands in it: the server finds the agent's token by the manifest. */
export interface McpEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** How an agent reaches our tools: its gateway's own address, a program of its session, or code in the tool's process. */
export type McpDoor = 'http' | 'stdio' | 'extension';

/** One of our tools, as a model is told of it. */
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
  /** The same served by its gateway; absent when none lives. */
  http?: McpAddress | undefined;
  tools: readonly OfferedTool[];
  /** They may be used without a question, as far as the tool can be told so, each by its name and nothing else. */
  allowed: boolean;
}

export interface McpAddress {
  url: string;
  token: string;
  /** The same token, in a file only its owner can read. */
  tokenFile: string;
}

/** What a session adds for our server, or why it adds none. */
export type McpAdditions =
  | (SessionAdditions & { door: McpDoor; server: string; tokenVariable?: string })
  | { declined: string };

/** What a tool does when the server is away, and what brings our tools back; Markdown for docs/agents.md. */
export interface McpAbsence {
  /** It was not there when the tool started. */
  atStart: string;
  /** It went away and came back while the tool ran. */
  whileRunning: string;
}

/** How a tool takes MCP servers. */
export interface ToolMcp {
  /** The name under which the model sees a tool of a server. */
  modelName: (server: string, tool: string) => string;
  /** The file in which a person configures servers. */
  config?: OwnPlace & { format: 'json' | 'toml' };
  /** The member of a JSON document that lists servers; `mcpServers` if absent. */
  member?: string;
  /** Our entry in such a document; as it is, if absent. */
  value?: (entry: McpEntry) => object;
  /** Registers our server for one session only; absent when the tool has no way for that. */
  forSession?: (mcp: SessionMcp, place: SessionPlace) => McpAdditions;
  absence?: McpAbsence;
}

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
  workdir: string;
  /** The tool's own home, where one is given or named by its variable. */
  home: string | undefined;
  /** Looks into the person's own files, so that what is added does not collide with them; undefined: there is none. */
  read: (file: string) => string | undefined;
  entries: (directory: string) => string[];
  /** Our tools for this agent; undefined when it is to have none. */
  mcp: SessionMcp | undefined;
}

export interface SessionAdditions {
  args: string[];
  files: { path: string; content: string; mode?: number }[];
  /** A directory of this session that stands before the tool instead of its own: what leads elsewhere from there. */
  links?: { path: string; target: string }[];
  /** Variables of the tool's process; no secrets, since they are kept in the manifest. */
  env?: Record<string, string>;
  /** The same, made anew at every start and kept nowhere: they hold something of the person's own. */
  passingEnv?: Record<string, string>;
  /** Facts other rooms need; kept in the manifest under launch_plan.metadata.rouse. */
  metadata?: Record<string, unknown>;
}

/** What no other field says: cells of the tables in docs/agents.md, as Markdown. */
export interface ToolNotes {
  /** What a launch adds or leaves away beside its tools for mail. */
  added?: string;
  /** Where it tells what it does, beside its screen. */
  beside: string;
  /** What proves that a prompt was taken, and how a turn ended. */
  taken: string;
  ended: string;
  /** How our tools are given to it, and how they are allowed beforehand. */
  mcp: string;
  allowsTools: string;
  /** What its commands may reach: why mail is not fetched with curl. */
  sandbox: string;
  /** How its shell tool is allowed to fetch mail with curl. */
  allowsMail: string;
  /** When its first start asks whether it may work in that directory; absent: it does not. */
  asksTrust?: string;
}
