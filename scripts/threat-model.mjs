// SECURITY.md says who is trusted with what. Each line of its table names the tests that hold it, each by its file and its title;
// this fails when a line names none, or one that is not there any more.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

const LINK = /\[[^\]]+\]\(([^\s)]+)(?: "([^"]*)")?\)/g;
const lines = readFileSync(path.join(root, 'SECURITY.md'), 'utf8').split('\n');
const from = lines.findIndex((line) => line.endsWith('| Held by |'));
const until = lines.findIndex((line, n) => n > from && !line.startsWith('|'));
const rows = from < 0 ? [] : lines.slice(from + 2, until);
const problems = rows.length === 0 ? ['there is no table with a column "Held by"'] : [];

for (const row of rows) {
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
process.exit(problems.length === 0 ? 0 : 1);
