import * as path from 'node:path';
import { MCP_VARIABLES, type McpEntry } from '../../tools/index.ts';
import { packageRoot } from './program-path.ts';

/** `rouse mcp` of this installation for one agent. Paths only: its token is beside its manifest. */
export function mcpEntryOf(
  agent: { manifest: string; agentId: string },
  env: Readonly<Record<string, string | undefined>>,
): McpEntry {
  const known = MCP_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []));
  return {
    command: process.execPath,
    args: [path.join(packageRoot(), 'dist', 'rouse.cjs'), 'mcp'],
    env: {
      ...(Object.fromEntries(known) as Record<string, string>),
      HOUMAO_MANIFEST_PATH: agent.manifest,
      HOUMAO_AGENT_ID: agent.agentId,
    },
  };
}

/** The same for whichever agent's session the tool runs in: for the configuration that all sessions share. */
export function sharedMcpEntry(): McpEntry {
  return { command: path.join(packageRoot(), 'bin', 'rouse'), args: ['mcp'], env: {} };
}
