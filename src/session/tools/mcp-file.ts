import * as path from 'node:path';
import { type McpEntry, mcpJsonDocument } from '../../domain/index.ts';
import type { SessionPlace, ToolPreset } from './preset.ts';

/** A file of this session that holds our MCP server alone. */
export function mcpFile(
  tool: string,
  entry: McpEntry,
  { launchDir }: SessionPlace,
): { path: string; content: string } {
  return { path: path.join(launchDir, 'mcp.json'), content: mcpJsonDocument(tool, entry, true) };
}

/** For tools that take such a file by a flag. */
export function mcpFlagWithFile(
  tool: string,
  flag: (file: string) => string[],
): NonNullable<ToolPreset['mcp']> {
  return (entry, place) => {
    const file = mcpFile(tool, entry, place);
    return { args: flag(file.path), files: [file] };
  };
}
