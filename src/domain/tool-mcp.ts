/** How a tool starts an MCP server of ours. No secret stands in it: the server finds the agent's token by the manifest. */
export interface McpEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

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

interface McpPlace {
  /** Names the tool's home directory. */
  variable: string | null;
  /** The file below that home, and below the person's home when the variable is not set. */
  inHome: string;
  byDefault: string;
  format: 'json' | 'toml';
}

/** Where each tool keeps the MCP servers a person has configured. */
export const MCP_PLACES: Readonly<Record<string, McpPlace>> = {
  claude: {
    variable: 'CLAUDE_CONFIG_DIR',
    inHome: '.claude.json',
    byDefault: '.claude.json',
    format: 'json',
  },
  codex: { variable: 'CODEX_HOME', inHome: 'config.toml', byDefault: '.codex/config.toml', format: 'toml' },
  gemini: {
    variable: 'GEMINI_CLI_HOME',
    inHome: '.gemini/settings.json',
    byDefault: '.gemini/settings.json',
    format: 'json',
  },
  opencode: {
    variable: 'OPENCODE_CONFIG_DIR',
    inHome: 'opencode.json',
    byDefault: '.config/opencode/opencode.json',
    format: 'json',
  },
  kimi: { variable: 'KIMI_CODE_HOME', inHome: 'mcp.json', byDefault: '.kimi-code/mcp.json', format: 'json' },
  qwen: { variable: null, inHome: 'settings.json', byDefault: '.qwen/settings.json', format: 'json' },
  copilot: {
    variable: 'COPILOT_HOME',
    inHome: 'mcp-config.json',
    byDefault: '.copilot/mcp-config.json',
    format: 'json',
  },
};

export const MCP_TOOLS = Object.keys(MCP_PLACES);

/** The file in which the tool keeps its servers: below the home that is given or named, else the person's own. */
export function mcpConfigFile(
  tool: string,
  { home, env }: { home?: string | undefined; env: Record<string, string | undefined> },
): string | undefined {
  const place = MCP_PLACES[tool];
  if (!place) return undefined;
  const toolHome = home ?? (place.variable ? env[place.variable] : undefined);
  if (toolHome) return `${toolHome}/${place.inHome}`;
  return env['HOME'] ? `${env['HOME']}/${place.byDefault}` : undefined;
}

/** The member of the tool's JSON document that lists servers, and our entry in it. */
export function mcpJsonEntry(tool: string, entry: McpEntry): { member: string; value: object } {
  const { command, args, env } = entry;
  if (tool === 'opencode') {
    const value = { type: 'local', command: [command, ...args], environment: env, enabled: true };
    return { member: 'mcp', value };
  }
  if (tool === 'copilot') return { member: 'mcpServers', value: { type: 'local', ...entry, tools: ['*'] } };
  return { member: 'mcpServers', value: { command, args, env } };
}

/** A whole document with our entry alone. `trusted`: used without a question, for a session nobody may be looking at. */
export function mcpJsonDocument(tool: string, entry: McpEntry, trusted = false): string {
  const { member, value } = mcpJsonEntry(tool, entry);
  const whole = { ...value, ...(trusted && tool === 'qwen' && { trust: true }) };
  return `${JSON.stringify({ [member]: { [MCP_NAME]: whole } }, null, 2)}\n`;
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
