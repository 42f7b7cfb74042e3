import * as path from 'node:path';
import { findProgram, invalid, unavailable } from '../../base/index.ts';

/** The absolute path of a program, or why it cannot be run. */
export function findExecutable(name: string, env: NodeJS.ProcessEnv, cwd: string): string {
  const found = findProgram(name, env, cwd);
  if (found !== undefined) return found;
  if (name.includes('/')) throw invalid(`${path.resolve(cwd, name)} is not a program that can be run`);
  throw unavailable(`"${name}" is not installed, or not on PATH`, {
    hint: `install it, or give its path with --tool /path/to/${name}`,
    facts: { cause: 'program_missing', program: name },
  });
}
