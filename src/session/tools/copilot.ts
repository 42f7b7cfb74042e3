import { MCP_NAME } from '../../domain/index.ts';
import { mcpFlagWithFile } from './mcp-file.ts';
import type { ToolPreset } from './preset.ts';

/** GitHub Copilot CLI. */
export const copilot: ToolPreset = {
  tool: 'copilot',
  executable: 'copilot',
  processNames: ['copilot'],
  homeVariable: null,
  npmPackage: '@github/copilot',
  nestedMarks: [],
  role: { method: 'first_message_flag', args: (text) => ['-i', text] },
  mcp: mcpFlagWithFile('copilot', (file) => [
    '--additional-mcp-config',
    `@${file}`,
    `--allow-tool=${MCP_NAME}`,
  ]),
  headless: {
    backend: 'generic_headless',
    prompt: 'argument',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '{prompt}', '--output-format', 'json'],
    exact: ['{args}', '{model}', '--resume={session}', '-p', '{prompt}', '--output-format', 'json'],
    last: ['{args}', '{model}', '--continue', '-p', '{prompt}', '--output-format', 'json'],
  },
};
