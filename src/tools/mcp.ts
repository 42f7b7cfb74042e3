import * as path from 'node:path';
import type { McpEntry, SessionPlace, ToolMcp } from './tool.ts';

/** Under this name our server stands in every tool's configuration. */
export const MCP_NAME = 'rouse';

/** What a server must know of where things are, when the tool hands on little of its environment. */
export const MCP_VARIABLES = [
  'HOUMAO_MANIFEST_PATH',
  'HOUMAO_AGENT_ID',
  'ROUSE_HOME',
  'HOUMAO_GLOBAL_RUNTIME_DIR',
  'HOUMAO_GLOBAL_MAILBOX_DIR',
  'HOUMAO_GLOBAL_REGISTRY_DIR',
  'ROUSE_TMUX_SOCKET',
];

type McpJson = Pick<ToolMcp, 'member' | 'value'>;

/** The member of the tool's JSON document that lists servers, and our entry in it. */
export function mcpJsonEntry({ member, value }: McpJson, entry: McpEntry): { member: string; value: object } {
  const { command, args, env } = entry;
  return { member: member ?? 'mcpServers', value: value?.(entry) ?? { command, args, env } };
}

/** A whole document with our entry alone. */
export function mcpJsonDocument(mcp: McpJson, entry: McpEntry): string {
  const { member, value } = mcpJsonEntry(mcp, entry);
  return `${JSON.stringify({ [member]: { [MCP_NAME]: value } }, null, 2)}\n`;
}

/** A file of this session that holds our server alone. */
export function mcpFile(
  mcp: McpJson,
  entry: McpEntry,
  { launchDir }: SessionPlace,
): { path: string; content: string } {
  return { path: path.join(launchDir, 'mcp.json'), content: mcpJsonDocument(mcp, entry) };
}

/** For tools that take such a file by a flag. */
export function mcpFlagWithFile(
  flag: (file: string) => string[],
  mcp: McpJson = {},
): NonNullable<ToolMcp['forSession']> {
  return (entry, place) => {
    const file = mcpFile(mcp, entry, place);
    return { args: flag(file.path), files: [file] };
  };
}

/**
 * Our entry as keys and values of codex's TOML. Strings of JSON are strings of TOML. Codex hands its servers next to
 * nothing of its environment, so what is not given is named to be handed on.
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
