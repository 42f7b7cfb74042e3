// Every path of the sources that a page names must exist, and no change needs many places. Checked by `npm run check`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

const PATH = /`((?:src|test|scripts|bench|assets)\/[A-Za-z0-9_./-]+)`/g;

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];
let missing = 0;
for (const page of pages) {
  for (const [, named] of readFileSync(path.join(root, page), 'utf8').matchAll(PATH)) {
    if (existsSync(path.join(root, named))) continue;
    console.error(`${page}: there is no ${named}`);
    missing++;
  }
}

/** "Where do I change …": at most three places, except for a field of mail. */
const MAX_PLACES = 3;
const architecture = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const [, table = ''] = /## Where do I change …\n([\s\S]*?)\n## /.exec(architecture) ?? [];
const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| To |'));
if (rows.length === 0) throw new Error('ARCHITECTURE.md: the table of places is gone');
for (const row of rows) {
  const [, what, change] = row
    .split(' | ', 2)
    .join(' | ')
    .split(/^\| | \| /);
  const places = [...change.matchAll(/`[^`]*\/[^`]*`|`[^`]+\.ts`/g)].length;
  if (places <= MAX_PLACES || what === 'give mail another field') continue;
  console.error(`ARCHITECTURE.md: "${what}" has ${places} places, at most ${MAX_PLACES}`);
  missing++;
}
if (missing) process.exit(1);
