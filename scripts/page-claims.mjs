// Checks claims of the pages in `npm run check`: every source path that a page names exists, no change needs many places, and
// every row of SECURITY.md's table names the tests that hold it, by file and title.
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

const LINK = /\[[^\]]+\]\(([^\s)]+)(?: "([^"]*)")?\)/g;
const lines = readFileSync(path.join(root, 'SECURITY.md'), 'utf8').split('\n');
const from = lines.findIndex((line) => line.endsWith('| Held by |'));
const until = lines.findIndex((line, n) => n > from && !line.startsWith('|'));
const held = from < 0 ? [] : lines.slice(from + 2, until);
const problems = held.length === 0 ? ['there is no table with a column "Held by"'] : [];

for (const row of held) {
  const who = row.split('|')[1].trim();
  const links = [...row.split('|').at(-2).matchAll(LINK)];
  if (links.length === 0) problems.push(`"${who}" names no test`);
  for (const [, file, title] of links) {
    const place = path.join(root, file);
    if (!/\.test\.ts$/.test(file) || !existsSync(place))
      problems.push(`"${who}": there is no test file ${file}`);
    else if (!title) problems.push(`"${who}": the link to ${file} names no test in its title`);
    else if (!readFileSync(place, 'utf8').includes(title))
      problems.push(`"${who}": ${file} has no test "${title}"`);
  }
}
for (const problem of problems) console.error(`SECURITY.md: ${problem}`);
if (missing + problems.length > 0) process.exit(1);
