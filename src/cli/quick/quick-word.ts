import type { Command } from '../command.ts';
import { type Match, takeStyle } from '../run-line.ts';
import { plainMatch } from './plain-line.ts';

/**
 * A command, or a family of them, that is typed so often that it is loaded without all the others. Answers what a line asks
 * of it; undefined: the line is not plain, and the full command line must look at it.
 */
export type QuickWord = (argv: string[], env: NodeJS.ProcessEnv) => Match | undefined;

export function quickWord(command: Command): QuickWord {
  return (argv, env) => {
    try {
      const [first, ...words] = takeStyle(argv, env).argv;
      return first === command.name ? plainMatch(command, words, ['rouse']) : undefined;
    } catch {
      return undefined;
    }
  };
}
