// Generates pages from the code they describe. `--check` fails if one is out of date.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { agentsPage } from './agents-page.mjs';
import { cliReference } from './cli-reference.mjs';
import { loadSource } from './load-source.mjs';
import { manPage } from './man-page.mjs';
import { readingList } from './reading-list.mjs';
import { root } from './setup.mjs';

const PAGES = {
  'docs/agents.md': agentsPage,
  'docs/cli.md': cliReference,
  'docs/man/rouse.1': manPage,
  'docs/compatibility.md': async () =>
    (await loadSource('src/wire/compatibility/compatibility-page.ts')).compatibilityPage(),
  'docs/access.md': async () => (await loadSource('src/cli/access-page.ts')).accessPage(),
  'docs/lane.md': async (text) =>
    between(
      text,
      'entering',
      (await loadSource('src/terminal/lane/prompt/entering-steps.ts')).enteringMarkdown(),
    ),
  'docs/configuration.md': async (text) =>
    between(text, 'keys', (await loadSource('src/config/keys.ts')).configMarkdown()),
  'ARCHITECTURE.md': async (text) => between(text, 'reading', readingList()),
};

/** Replaces the generated part of a page, between its two marks. */
function between(text, mark, part) {
  const place = new RegExp(`(<!-- ${mark} -->\\n)[\\s\\S]*?(<!-- /${mark} -->)`);
  if (!place.test(text)) throw new Error(`the place of the part "${mark}" is gone`);
  return text.replace(place, (_, open, close) => `${open}${part}\n${close}`);
}

const check = process.argv.includes('--check');
let stale = 0;
for (const [file, render] of Object.entries(PAGES)) {
  const target = path.join(root, file);
  const before = existsSync(target) ? readFileSync(target, 'utf8') : '';
  const text = await render(before);
  if (before === text) continue;
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
