import { runCli } from '../cli/index.ts';
import { runInSurroundings } from './surroundings.ts';

/** The whole command line: every command, help, and words for every mistake. */
export function runCommandLine(argv: string[], program: string): Promise<void> {
  return runInSurroundings({ argv, program }, runCli);
}
