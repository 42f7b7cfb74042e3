// The licences of the packages in a release. As a program: fails if a package of the lock file has a licence that is not
// allowed here. As a module: the notices that those licences require, for dist/.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const ALLOWED = new Set(['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD']);
/** Licences that are allowed only for these packages. */
const ALLOWED_FOR = {
  '@fontsource-variable/inter': 'OFL-1.1',
  // Both ask for nothing at all.
  'fast-sha256': 'Unlicense',
  nodemailer: 'MIT-0',
  // Only for the command line of markdown-it, which is not in the page.
  argparse: 'PSF-2.0',
  // Unchanged, and in a file of its own; its source is what npm serves.
  'web-push': 'MPL-2.0',
};

/** Built into the page, so a release contains them although they are not installed with it. */
const IN_THE_PAGE = [
  'react',
  'react-dom',
  '@tanstack/react-query',
  '@base-ui/react',
  'markdown-it',
  'uplot',
  'tailwindcss',
  '@fontsource-variable/inter',
];

/** Those, and their dependencies. */
function placesInThePage(packages) {
  const found = new Set();
  const add = (name) => {
    const place = `node_modules/${name}`;
    if (found.has(place) || !packages[place]) return;
    found.add(place);
    for (const next of Object.keys(packages[place].dependencies ?? {})) add(next);
  };
  for (const name of IN_THE_PAGE) add(name);
  return found;
}

/** Every package that is installed with the program, including those of other platforms. */
function carried() {
  const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const inThePage = placesInThePage(packages);
  return Object.entries(packages)
    .filter(
      ([place, { dev, devOptional }]) => place !== '' && ((!dev && !devOptional) || inThePage.has(place)),
    )
    .map(([place, { version, license }]) => ({
      name: place.replace(/^.*node_modules\//, ''),
      version,
      license,
      directory: path.join(root, place),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function thirdPartyNotices() {
  const parts = carried().map(({ name, version, license, directory }) => {
    const texts = existsSync(directory)
      ? readdirSync(directory)
          .filter((file) => /^(licen[cs]e|notice|copying)([.-]|$)/i.test(file))
          .map((file) => readFileSync(path.join(directory, file), 'utf8').trim())
      : [];
    const author = existsSync(directory) ? authorOf(directory) : undefined;
    const said =
      texts.length > 0 ? texts : [`Licensed under ${license}.${author ? ` Author: ${author}.` : ''}`];
    return `${name} ${version} (${license})\n\n${said.join('\n\n')}\n`;
  });
  const rule = `\n${'-'.repeat(80)}\n\n`;
  return `Rouse carries or installs these packages, under these licences.\n${rule}${parts.join(rule)}`;
}

function authorOf(directory) {
  const { author } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  return typeof author === 'object' ? author?.name : author;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const strange = carried().filter(
    ({ name, license }) => !ALLOWED.has(license) && ALLOWED_FOR[name] !== license,
  );
  for (const { name, version, license } of strange)
    console.error(`${name} ${version}: licence ${license ?? 'unknown'}`);
  if (strange.length > 0) {
    console.error(`allowed are ${[...ALLOWED].join(', ')}; see scripts/licences.mjs`);
    process.exit(1);
  }
}
