// `npm run test:all [-- NAME…]`: the checks, all tests, then every slow proof at full size, one after the other, and the
// result of each. Continues after a failure. In a proof a skipped test counts as a failure.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIS, ensureClis } from './agent-clis.mjs';
import { ensureForeign } from './foreign-tools.mjs';
import { PROOFS, proofCall, vitest } from './proofs.mjs';
import { ensureBuild, ensureDependencies, ensurePrograms, root } from './setup.mjs';

const STEPS = ['check', 'tests', ...Object.keys(PROOFS), 'round'];
const asked = process.argv.slice(2);
const unknown = asked.find((name) => !STEPS.includes(name));
if (unknown !== undefined) {
  console.error(`no step is called ${unknown}; usage: npm run test:all [-- ${STEPS.join('|')} …]`);
  process.exit(2);
}

function call(program, args, env = process.env) {
  return spawnSync(program, args, { cwd: root, stdio: 'inherit', env }).status === 0;
}

/** The counts of one vitest run, from its own report; undefined if it ended before writing one. */
function tests({ args, env }) {
  const directory = mkdtempSync(path.join(tmpdir(), 'rouse-test-all-'));
  const file = path.join(directory, 'report.json');
  try {
    const ok = call(
      vitest,
      [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
      env,
    );
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const { numPassedTests: passed, numFailedTests: failed, numPendingTests, numTodoTests } = report;
    return { ok: ok && passed > 0, passed, failed, skipped: numPendingTests + numTodoTests };
  } catch (error) {
    console.error(error.message);
    return { ok: false };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Tools that could not be installed are not tried; their test files report that. */
async function agentsStep() {
  for (const [name, why] of Object.entries(await ensureClis(Object.keys(CLIS))))
    console.error(`${name} cannot be tried: ${why}`);
  return tests(proofCall('agents'));
}

async function step(name) {
  if (name === 'foreign') await ensureForeign();
  if (name === 'check') return { ok: call(process.execPath, [path.join(root, 'scripts', 'check.mjs')]) };
  if (name === 'round')
    return { ok: call(process.execPath, [path.join(root, 'scripts', 'test-agents.mjs'), 'round']) };
  if (PROOFS[name]?.modes)
    return { ok: call(process.execPath, [path.join(root, 'scripts', 'proof.mjs'), name]) };
  if (name === 'tests')
    return tests({
      args: ['run', '--project', 'unit', '--project', 'walk', '--project', 'made-up'],
      env: process.env,
    });
  const counts = name === 'agents' ? await agentsStep() : tests(proofCall(name));
  return { ...counts, ok: counts.ok && counts.skipped === 0 };
}

process.env.ROUSE_SEED ??= String(Date.now() % 2 ** 31);
console.log(`drawn with ROUSE_SEED=${process.env.ROUSE_SEED}`);
ensureDependencies();
ensurePrograms(['tmux', 'flock', 'postgres', 'pgbouncer', 'nginx', 'promtool']);
ensureBuild();
const rows = [];
for (const name of STEPS.filter((each) => asked.length === 0 || asked.includes(each))) {
  console.log(`\n── ${name} ──`);
  const start = performance.now();
  const result = await step(name);
  rows.push({ name, ...result, minutes: (performance.now() - start) / 60_000 });
}

const cell = (value, width) => String(value ?? '–').padStart(width);
console.log(
  `\n${'step'.padEnd(10)}${['', 'passed', 'failed', 'skipped', 'minutes'].map((n) => cell(n, 9)).join('')}`,
);
for (const { name, ok, passed, failed, skipped, minutes } of rows) {
  const numbers = [passed, failed, skipped, minutes.toFixed(1)].map((value) => cell(value, 9)).join('');
  console.log(`${name.padEnd(10)}${cell(ok ? 'green' : 'RED', 9)}${numbers}`);
}
const commit = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout?.trim();
console.log(`at ${commit || 'no commit'}, ${new Date().toISOString()}`);
if (rows.some(({ ok }) => !ok)) process.exit(1);
