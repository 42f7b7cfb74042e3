import type { ToolPreset } from './preset.ts';

/** OpenCode. Its own HTTP port would be open to every local program, so it is not asked for. */
export const opencode: ToolPreset = {
  tool: 'opencode',
  executable: 'opencode',
  processNames: ['opencode'],
  homeVariable: null,
  npmPackage: 'opencode-ai',
  nestedMarks: ['OPENCODE'],
  role: { method: 'first_message_flag', args: (text) => ['--prompt', text] },
  headless: {
    backend: 'generic_headless',
    prompt: 'argument',
    role: 'prefix',
    create: ['run', '{args}', '{model}', '--format', 'json', '--', '{prompt}'],
    exact: ['run', '{args}', '{model}', '--session', '{session}', '--format', 'json', '--', '{prompt}'],
    last: ['run', '{args}', '{model}', '--continue', '--format', 'json', '--', '{prompt}'],
  },
};
