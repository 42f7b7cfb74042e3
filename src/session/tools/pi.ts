import type { ToolPreset } from './preset.ts';

/** Pi. */
export const pi: ToolPreset = {
  tool: 'pi',
  executable: 'pi',
  processNames: ['pi'],
  homeVariable: 'PI_CODING_AGENT_DIR',
  npmPackage: '@mariozechner/pi-coding-agent',
  nestedMarks: [],
  role: { method: 'cli_flag', args: (text) => ['--append-system-prompt', text] },
  headless: {
    backend: 'generic_headless',
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--mode', 'json', '-p'],
    exact: ['{args}', '{model}', '{role}', '--session', '{session}', '--mode', 'json', '-p'],
    last: ['{args}', '{model}', '{role}', '-c', '--mode', 'json', '-p'],
  },
};
