// Formatter, linter, types, house plan, generated files: everything that needs no running program.
import { spawnSync } from 'node:child_process';
import { root } from './setup.mjs';

const node = process.execPath;
const CHECKS = {
  'format and lint': ['node_modules/.bin/biome', ['check', '--error-on-warnings', '.']],
  types: ['node_modules/.bin/tsc', ['--noEmit']],
  'types of the page': ['node_modules/.bin/tsc', ['--noEmit', '-p', 'tsconfig.page.json']],
  'house plan': [node, ['scripts/house-plan.mjs']],
  'paths of routes': [node, ['scripts/route-paths.mjs']],
  'nothing unused': ['node_modules/.bin/knip', []],
  licences: [node, ['scripts/licences.mjs']],
  'generated pages': [node, ['scripts/generate.mjs', '--check']],
  'what pages claim': [node, ['scripts/page-claims.mjs']],
  'plain words': [node, ['scripts/plain-words.mjs']],
  'generated contract': [node, ['scripts/openapi.mjs', '--check']],
};

let failed = 0;
for (const [name, [program, args]] of Object.entries(CHECKS)) {
  const done = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
  const ok = done.status === 0;
  console.log(`${ok ? '✓' : '✗'} ${name}`);
  if (!ok) {
    failed++;
    console.log(done.stdout + done.stderr);
  }
}
if (failed) process.exit(1);
