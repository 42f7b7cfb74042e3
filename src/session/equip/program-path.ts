import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { unavailable } from '../../base/index.ts';

/** The command words of a program of this installation, such as `gateway`: Node and the built file, of two the one that starts sooner. */
export function programWords(name: string): string[] {
  const built = path.join(packageRoot(), 'dist', name);
  const file = [`${built}.cjs`, `${built}.js`].find((each) => fs.existsSync(each));
  if (file === undefined) {
    throw unavailable(`${built}.js is missing`, {
      hint: 'run "npm run build"',
      facts: { cause: 'program_missing', file: `${built}.js` },
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
