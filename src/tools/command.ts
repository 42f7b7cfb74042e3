import * as path from 'node:path';
import type { Detector } from '../screen/index.ts';
import { BACKEND } from '../wire/houmao/index.ts';
import type { Tool } from './tool.ts';

export interface CommandTurns {
  /** Words that make a headless command continue a chat; `{session}` is replaced by its id. */
  resumeArgs?: string[] | undefined;
  continueArgs?: string[] | undefined;
}

/**
 * Any program that is known only by its name. A headless turn is its command line with the prompt on standard input, or
 * in the argument `{prompt}` if there is one. Without words for resuming, each turn is a new chat.
 */
export function commandTool(executable: string, args: string[], turns: CommandTurns = {}): Tool {
  const name = path.basename(executable);
  const create = ['{args}', '{model}'];
  return {
    name,
    process: {
      executable,
      names: [name, name.replace(/\.[A-Za-z0-9]+$/, '')],
      npmPackage: null,
      nestedMarks: [],
    },
    homeVariable: null,
    role: { method: 'none' },
    headless: {
      backend: BACKEND.turns,
      shape: {
        prompt: args.includes('{prompt}') ? 'argument' : 'stdin',
        role: 'prefix',
        create,
        exact: [...create, ...(turns.resumeArgs ?? [])],
        last: [...create, ...(turns.continueArgs ?? [])],
      },
      model: [],
      events: [],
    },
    detectors: [],
  };
}

/** The detector of an undescribed tool: it recognises nothing, so the tool is never ready until it is calibrated. */
export function strangersDetector(tool: string): Detector {
  return {
    tool,
    versions: { from: '0.0.0', below: '0.0.0', seen: [] },
    composers: [],
    title: {},
    signs: [],
    transcript: { prompt: /^(?!)/ },
    input: {
      pasteGapMs: 300,
      changes: [],
      refuses: [],
      interruptKeys: ['Escape'],
      clearKeys: ['C-u'],
      resetCommand: '/clear',
      whileBusy: 'queues',
      restoresPrompt: false,
    },
  };
}
