import type { ToolPreset } from './preset.ts';

/** Gemini CLI. Its window title says ready, working and action required; nothing needs to be added. */
export const gemini: ToolPreset = {
  tool: 'gemini',
  executable: 'gemini',
  processNames: ['gemini'],
  homeVariable: 'GEMINI_CLI_HOME',
  npmPackage: '@google/gemini-cli',
  nestedMarks: ['GEMINI_CLI'],
  role: { method: 'first_message_flag', args: (text) => ['--prompt-interactive', text] },
  headless: {
    backend: 'gemini_headless',
    prompt: 'stdin',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '', '--output-format', 'stream-json'],
    exact: ['{args}', '{model}', '--resume', '{session}', '-p', '', '--output-format', 'stream-json'],
    last: ['{args}', '{model}', '--resume', 'latest', '-p', '', '--output-format', 'stream-json'],
  },
};
