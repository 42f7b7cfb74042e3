import type { ToolPreset } from './preset.ts';

/** Kimi Code. It takes no role at start; only a headless turn can carry one, before its first prompt. */
export const kimi: ToolPreset = {
  tool: 'kimi',
  executable: 'kimi',
  processNames: ['kimi', 'kimi-code'],
  homeVariable: 'KIMI_CODE_HOME',
  npmPackage: '@moonshot-ai/kimi-code',
  nestedMarks: [],
  role: { method: 'none' },
  headless: {
    backend: 'kimi_headless',
    prompt: 'argument',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '{prompt}', '--output-format', 'stream-json'],
    exact: [
      '{args}',
      '{model}',
      '--session',
      '{session}',
      '-p',
      '{prompt}',
      '--output-format',
      'stream-json',
    ],
    last: ['{args}', '{model}', '--continue', '-p', '{prompt}', '--output-format', 'stream-json'],
  },
};
