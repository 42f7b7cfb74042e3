import * as fs from 'node:fs';
import * as path from 'node:path';
import { invalid, unavailable } from '../../base/index.ts';

/** The absolute path of a program, looked for as a shell would. */
export function findExecutable(name: string, env: NodeJS.ProcessEnv, cwd: string): string {
  if (name.includes('/')) {
    const file = path.resolve(cwd, name);
    if (isExecutable(file)) return file;
    throw invalid(`${file} is not a program that can be run`);
  }
  const found = (env['PATH'] ?? '')
    .split(':')
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name))
    .find(isExecutable);
  if (found) return found;
  throw unavailable(`"${name}" is not installed, or not on PATH`, {
    hint: `install it, or give its path with --tool /path/to/${name}`,
    facts: { cause: 'program_missing', program: name },
  });
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
