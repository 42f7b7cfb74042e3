import { invalid } from '../../../base/index.ts';
import type { LaunchOptions, LaunchReport } from '../../../session/index.ts';
import type { Flag } from '../../command.ts';

export const MCP_AT_LAUNCH = [
  {
    name: 'mcp',
    negatable: true,
    summary: 'give it its mail, reminders and requests as tools, for this session only (default)',
  },
  {
    name: 'ask-permission',
    summary: 'let the tool ask before it uses these tools, instead of allowing them in advance',
  },
] as const satisfies readonly Flag[];

export function mcpOption(flags: { mcp?: boolean; askPermission?: boolean }): LaunchOptions['mcp'] {
  if (flags.mcp === false && flags.askPermission)
    throw invalid('--ask-permission has no effect with --no-mcp', {
      hint: 'leave out one of the two',
    });
  return flags.mcp === false ? 'none' : flags.askPermission ? 'ask' : undefined;
}

export function mcpData(mcp: LaunchReport['mcp']): Record<string, unknown> | null {
  if (!mcp) return null;
  return 'declined' in mcp
    ? { door: null, server: null, declined: mcp.declined }
    : { door: mcp.door, server: mcp.server, declined: null };
}

const DOORS = {
  http: 'from its gateway',
  stdio: 'from "rouse mcp", which it starts',
  extension: 'by an extension of this session',
} as const;

export function mcpLine(mcp: LaunchReport['mcp']): Record<string, string> {
  if (!mcp) return {};
  return {
    tools: 'declined' in mcp ? `none: ${mcp.declined}` : `${mcp.server}, ${DOORS[mcp.door]}`,
  };
}
