// Pages written from the code they describe. `--check` fails when one is out of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cliReference } from './cli-reference.mjs';
import { loadSource } from './load-source.mjs';
import { root } from './setup.mjs';

const PAGES = {
  'docs/cli.md': cliReference,
  'docs/access.md': async () => (await loadSource('src/wire/access.ts')).accessMarkdown(),
};

const check = process.argv.includes('--check');
let stale = 0;
for (const [file, render] of Object.entries(PAGES)) {
  const target = path.join(root, file);
  const text = await render();
  if (existsSync(target) && readFileSync(target, 'utf8') === text) continue;
  if (check) {
    console.error(`${file} is out of date; run "node scripts/generate.mjs"`);
    stale++;
    continue;
  }
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text);
  console.log(`wrote ${file}`);
}
if (stale) process.exit(1);
