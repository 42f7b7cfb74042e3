// Every path of the sources that a page names must exist. Checked by `npm run check`.
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
if (missing) process.exit(1);
