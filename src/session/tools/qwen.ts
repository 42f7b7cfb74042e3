import { mcpFlagWithFile } from './mcp-file.ts';
import type { ToolPreset } from './preset.ts';

/** Qwen Code. */
export const qwen: ToolPreset = {
  tool: 'qwen',
  executable: 'qwen',
  processNames: ['qwen'],
  homeVariable: null,
  npmPackage: '@qwen-code/qwen-code',
  nestedMarks: ['QWEN_CODE'],
  role: { method: 'first_message_flag', args: (text) => ['--prompt-interactive', text] },
  mcp: mcpFlagWithFile('qwen', (file) => ['--mcp-config', file]),
  headless: {
    backend: 'generic_headless',
    prompt: 'argument',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '{prompt}', '--output-format', 'stream-json'],
    exact: ['{args}', '{model}', '--resume', '{session}', '-p', '{prompt}', '--output-format', 'stream-json'],
    last: ['{args}', '{model}', '--continue', '-p', '{prompt}', '--output-format', 'stream-json'],
  },
};
