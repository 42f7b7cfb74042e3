// Other versions of Node, from the npm registry.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const VERSIONS = { 20: '20', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };

/** The supported majors. */
export const MAJORS = Object.keys(VERSIONS);

/** The directory of `node` in this major version: that of this process, or one that is installed into `place`. */
export function nodeDirectory(major, place) {
  if (process.version.startsWith(`v${major}.`)) return path.dirname(process.execPath);
  const name = `node-linux-${process.arch === 'arm64' ? 'arm64' : 'x64'}`;
  const words = ['install', '--prefix', place, '--no-save', '--loglevel=error'];
  spawnSync('npm', [...words, `${name}@${VERSIONS[major] ?? major}`], { stdio: ['ignore', 2, 2] });
  const directory = path.join(place, 'node_modules', name, 'bin');
  if (!existsSync(path.join(directory, 'node'))) throw new Error(`no node in ${directory}`);
  return directory;
}
