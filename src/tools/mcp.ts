import * as path from 'node:path';
import { sha256 } from '../base/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import { looseJson } from './loose-json.ts';
import type { McpAdditions, McpAddress, McpEntry, SessionMcp, SessionPlace, ToolMcp } from './tool.ts';

/** The name of our server in every tool's configuration. */
export const MCP_NAME = 'rouse';

/** Variables that a server needs, for tools that pass on little of their environment. */
export const MCP_VARIABLES = [
  VARIABLE.manifestPath,
  VARIABLE.agentId,
  'ROUSE_HOME',
  VARIABLE.runtimeDir,
  VARIABLE.mailboxDir,
  VARIABLE.registryDir,
  'ROUSE_TMUX_SOCKET',
];

/**
 * How long a tool waits for our server, if that can be configured. A tool tries only once, so on a busy machine a delayed
 * first prompt is better than a session without its tools.
 */
export const MCP_START_MS = 30_000;

/** The variable with the agent's token, for tools that take it from their environment. */
export const MCP_TOKEN_VARIABLE = 'ROUSE_MCP_TOKEN';

/** Claude's scheme for tool names, which others use too. */
export const mcpDoubleUnderscores: ToolMcp['modelName'] = (server, tool) => `mcp__${server}__${tool}`;

type McpJson = Pick<ToolMcp, 'member' | 'value'>;

/** The member of the tool's JSON document that lists servers, and our entry in it. */
export function mcpJsonEntry({ member, value }: McpJson, entry: McpEntry): { member: string; value: object } {
  const { command, args, env } = entry;
  return { member: member ?? 'mcpServers', value: value?.(entry) ?? { command, args, env } };
}

/** A document with only our entry. */
export function mcpJsonDocument(mcp: McpJson, entry: McpEntry): string {
  const { member, value } = mcpJsonEntry(mcp, entry);
  return jsonText({ [member]: { [MCP_NAME]: value } });
}

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const bearer = ({ token }: McpAddress): { Authorization: string } => ({
  Authorization: `Bearer ${token}`,
});

export const toolNamesIn = ({ tools }: SessionMcp): string[] => tools.map(({ name }) => name);

export interface McpFileWords {
  /** The entry with an address, and the one that starts a program. */
  remote: (at: McpAddress, mcp: SessionMcp) => object;
  local: (program: McpEntry, mcp: SessionMcp) => object;
  /** The arguments that name the file and the allowed tools. */
  args: (file: string, server: string, mcp: SessionMcp) => string[];
  /** Files in which the person may have configured a server with our name. */
  configured?: (place: SessionPlace) => string[];
}

/** For tools that take a file with servers as a flag. */
export function mcpFlagWithFile(words: McpFileWords): NonNullable<ToolMcp['forSession']> {
  return (mcp, place): McpAdditions => {
    const server = freeServerName(place, serversIn(place, words.configured?.(place) ?? []));
    const file = path.join(place.launchDir, 'mcp.json');
    const value = mcp.http ? words.remote(mcp.http, mcp) : words.local(mcp.program, mcp);
    return {
      door: mcp.http ? 'http' : 'stdio',
      server,
      args: words.args(file, server, mcp),
      files: [{ path: file, content: jsonText({ mcpServers: { [server]: value } }) }],
    };
  };
}

/** The servers in the person's JSON documents; an unreadable document has none. */
export function serversIn(place: SessionPlace, files: string[], member = 'mcpServers'): object {
  return Object.assign({}, ...files.map((file) => membersOf(looseJson(place.read(file) ?? ''), member)));
}

export function membersOf(document: unknown, member: string): Record<string, unknown> {
  const found = (document as Record<string, unknown> | null | undefined)?.[member];
  return found !== null && typeof found === 'object' ? (found as Record<string, unknown>) : {};
}

/** Our name, unless the person has a server with that name that `rouse mcp install` did not write. */
export function freeServerName(place: SessionPlace, servers: object): string {
  const theirs = (servers as Record<string, unknown>)[MCP_NAME];
  return theirs === undefined || isOwnInstallation(theirs) ? MCP_NAME : ownServerName(place);
}

/** The same for every start of a session. */
export function ownServerName({ root }: SessionPlace): string {
  return `${MCP_NAME}_${sha256(root).slice(0, 4)}`;
}

function isOwnInstallation(entry: unknown): boolean {
  const { command, args } = (entry ?? {}) as { command?: unknown; args?: unknown };
  const words = [command, args].flat().filter((word) => typeof word === 'string');
  return words.at(-1) === 'mcp' && words.some((word) => /(^|\/)rouse(\.cjs)?$/.test(word));
}

/**
 * Our entry as keys and values of codex's TOML. JSON strings are TOML strings. Codex passes almost nothing of its
 * environment to servers, so variables that the entry does not set are named to be passed on.
 */
export function mcpTomlPairs({ command, args, env }: McpEntry): [string, string][] {
  const table = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    ['command', JSON.stringify(command)],
    ['args', `[${args.map((each) => JSON.stringify(each)).join(', ')}]`],
    ...(table.length > 0 ? [['env', `{ ${table.join(', ')} }`] as [string, string]] : []),
    [
      'env_vars',
      `[${MCP_VARIABLES.filter((name) => !(name in env))
        .map((name) => JSON.stringify(name))
        .join(', ')}]`,
    ],
  ];
}
