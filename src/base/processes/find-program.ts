import * as fs from 'node:fs';
import * as path from 'node:path';

/** Returns the absolute path of a program, found as a shell would; undefined if there is none that can be run. */
export function findProgram(name: string, env: NodeJS.ProcessEnv, cwd: string): string | undefined {
  if (name.includes('/')) return [path.resolve(cwd, name)].find(isProgram);
  return (env['PATH'] ?? '')
    .split(':')
    .filter((directory) => path.isAbsolute(directory))
    .map((directory) => path.join(directory, name))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
