import * as path from 'node:path';
import type { ToolPreset } from './preset.ts';

export interface CommandTurns {
  /** Words that make a headless command go on with a chat; `{session}` stands for its id. */
  resumeArgs?: string[] | undefined;
  continueArgs?: string[] | undefined;
}

/**
 * Any program, known by nothing but its name. Headless, a turn is its command line with the prompt on standard
 * input, or in the argument that is `{prompt}` when there is one; without words for resuming, each turn is new.
 */
export function command(executable: string, args: string[], turns: CommandTurns = {}): ToolPreset {
  const name = path.basename(executable);
  const create = ['{args}', '{model}'];
  return {
    tool: name,
    executable,
    processNames: [name, name.replace(/\.[A-Za-z0-9]+$/, '')],
    homeVariable: null,
    npmPackage: null,
    nestedMarks: [],
    role: { method: 'none' },
    headless: {
      backend: 'generic_headless',
      prompt: args.includes('{prompt}') ? 'argument' : 'stdin',
      role: 'prefix',
      create,
      exact: [...create, ...(turns.resumeArgs ?? [])],
      last: [...create, ...(turns.continueArgs ?? [])],
    },
  };
}
