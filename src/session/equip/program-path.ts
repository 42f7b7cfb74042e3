import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { unavailable } from '../../base/index.ts';

/** The command words of a program of this installation, such as `gateway`: Node and the built file. */
export function programWords(name: string): string[] {
  const file = path.join(packageRoot(), 'dist', `${name}.js`);
  if (!fs.existsSync(file)) {
    throw unavailable(`${file} is missing`, {
      hint: 'run "npm run build"',
      facts: { cause: 'program_missing', file },
    });
  }
  return [process.execPath, file];
}

/** Where this package is installed, from wherever in it this code was bundled to. */
export function packageRoot(): string {
  let directory = path.dirname(fileURLToPath(import.meta.url));
  while (!fs.existsSync(path.join(directory, 'package.json'))) {
    const parent = path.dirname(directory);
    if (parent === directory) throw unavailable('the installation of Rouse cannot be found');
    directory = parent;
  }
  return directory;
}
