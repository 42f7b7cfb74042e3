import * as fs from 'node:fs';
import * as path from 'node:path';
import { cliDirectories } from '../../../scripts/agent-clis.mjs';

export interface InstalledTool {
  /** Put in front of the launcher's PATH. */
  directories: string[];
  executable: string;
}

/**
 * The tool as installed by `npm run test:agents`. ROUSE_AGENTS_DIR names another installation, for other versions:
 * `<directory>/<tool>/node_modules/.bin`.
 */
export function findInstalled(tool: string): InstalledTool {
  const directories = cliDirectories(tool);
  const other = process.env['ROUSE_AGENTS_DIR'];
  if (other) directories.splice(-1, 1, path.join(other, tool, 'node_modules', '.bin'));
  const missing = [...directories.slice(0, -1).map((at) => path.join(at, 'node'))].find(
    (file) => !isThere(file),
  );
  const executable = path.join(directories.at(-1)!, tool);
  if (missing || !isThere(executable)) {
    throw new Error(`${missing ?? executable} is not there; \`npm run test:agents -- ${tool}\` installs it`);
  }
  return { directories, executable };
}

function isThere(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}
