import * as path from 'node:path';
import { MCP_NAME, MCP_TOKEN_VARIABLE, mcpTomlPairs, ownServerName, toolNamesIn } from '../mcp.ts';
import type { McpAdditions, SessionMcp, SessionPlace } from '../tool.ts';

/**
 * Codex merges its command line into the person's table of the same name, key by key: a server of theirs would get our
 * address, or codex would not start. So our server has a unique name.
 */
export function codexSession(mcp: SessionMcp, place: SessionPlace): McpAdditions {
  const home = place.home ?? path.join(place.env['HOME'] ?? '/', '.codex');
  const theirs = tableOf(place.read(path.join(home, 'config.toml')) ?? '');
  if (theirs && /^\s*enabled\s*=\s*false\b/m.test(theirs))
    return { declined: `the configuration of codex disables its server "${MCP_NAME}"` };
  const onCommandLine = place.args.some((word) => SERVER_KEY.test(word));
  const server = theirs === undefined && !onCommandLine ? MCP_NAME : ownServerName(place);
  const approved = toolNamesIn(mcp).map((name) => `${name}={approval_mode="approve"}`);
  const pairs: [string, string][] = [
    ...(mcp.http
      ? ([
          ['url', JSON.stringify(mcp.http.url)],
          ['bearer_token_env_var', JSON.stringify(MCP_TOKEN_VARIABLE)],
        ] as [string, string][])
      : mcpTomlPairs(mcp.program)),
    ...(mcp.allowed ? [['tools', `{${approved.join(',')}}`] as [string, string]] : []),
  ];
  return {
    server,
    ...(mcp.http ? { door: 'http', tokenVariable: MCP_TOKEN_VARIABLE } : { door: 'stdio' }),
    args: pairs.flatMap(([key, value]) => ['-c', `mcp_servers.${server}.${key}=${value}`]),
    files: [],
  };
}

const SERVER_KEY = new RegExp(`\\bmcp_servers\\s*\\.\\s*"?${MCP_NAME}"?\\b`);

/** The person's configuration of a server with our name, in any notation; undefined if there is none. */
function tableOf(toml: string): string | undefined {
  const lines = toml.split('\n');
  const from = lines.findIndex((line) => SERVER_KEY.test(line));
  if (from < 0) return undefined;
  const length = lines.slice(from + 1).findIndex((line) => /^\s*\[/.test(line) && !SERVER_KEY.test(line));
  return lines.slice(from, length < 0 ? undefined : from + 1 + length).join('\n');
}
