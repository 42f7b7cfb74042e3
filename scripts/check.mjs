// Formatter, linter, types, house plan, generated files: every check without a running program. Two at a time, because the
// smallest machine has two cores.
import { spawn } from 'node:child_process';
import { root } from './setup.mjs';

const node = process.execPath;
// One checker: several would each check the same library types again.
const TSC = ['node_modules/.bin/tsc', '--noEmit', '--checkers', '1'];
/** The long ones first. */
const CHECKS = {
  'format and lint': ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.'],
  types: TSC,
  'types of the page': [...TSC, '-p', 'tsconfig.page.json'],
  'nothing unused': ['node_modules/.bin/knip'],
  'generated pages': [node, 'scripts/generate.mjs', '--check'],
  'generated contract': [node, 'scripts/openapi.mjs', '--check'],
  'house plan': [node, 'scripts/house-plan.mjs'],
  'paths of routes': [node, 'scripts/route-paths.mjs'],
  licences: [node, 'scripts/licences.mjs'],
  'what pages claim': [node, 'scripts/page-claims.mjs'],
  'plain words': [node, 'scripts/plain-words.mjs'],
};

function passes(name) {
  const [program, ...args] = CHECKS[name];
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk;
    });
  child.on('error', (error) => {
    printed += error.message;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      console.log(`${code === 0 ? '✓' : '✗'} ${name}`);
      if (code !== 0) console.log(printed);
      resolve(code === 0);
    });
  });
}

const waiting = Object.keys(CHECKS);
async function worker() {
  let ok = true;
  for (let name = waiting.shift(); name; name = waiting.shift()) ok = (await passes(name)) && ok;
  return ok;
}
const results = await Promise.all([worker(), worker()]);
if (results.includes(false)) process.exit(1);
