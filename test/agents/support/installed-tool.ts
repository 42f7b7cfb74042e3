import * as fs from 'node:fs';
import * as path from 'node:path';

/** Where the command lines under test are looked for before PATH: `<directory>/<tool>/node_modules/.bin`. */
const AGENTS_DIR = process.env['ROUSE_AGENTS_DIR'] ?? '/tmp/agents';

export interface InstalledTool {
  /** Put before the PATH of whoever launches it. */
  directories: string[];
  executable: string;
}

/** The tool as it is installed here; undefined, with a word about it, when it is not. */
export function findInstalled(tool: string, newerNode = false): InstalledTool | undefined {
  const places = [binOf(tool), ...(process.env['PATH'] ?? '').split(path.delimiter)];
  const directory = places.find((place) => isExecutable(path.join(place, tool)));
  if (directory === undefined) {
    console.warn(`${tool} is not tested: it is neither in ${binOf(tool)} nor on PATH`);
    return undefined;
  }
  const node = newerNode && Number(process.versions.node.split('.')[0]) < 22 ? [binOf('node24')] : [];
  if (node.length > 0 && !isExecutable(path.join(node[0]!, 'node'))) {
    console.warn(`${tool} is not tested: it needs Node 22 or newer, and none is in ${node[0]}`);
    return undefined;
  }
  return { directories: [...node, directory], executable: path.join(directory, tool) };
}

function binOf(name: string): string {
  return path.join(AGENTS_DIR, name, 'node_modules', '.bin');
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
