// The slow proofs at full size: `npm run test:lane`, `test:crash`, … `npm test` runs each of them in a short form.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLIS, ensureClis } from './agent-clis.mjs';
import { ensureForeign } from './foreign-tools.mjs';
import { PROOFS, proofCall, vitest } from './proofs.mjs';
import { ensureBuild, ensureDependencies, ensurePrograms, root } from './setup.mjs';

const names = process.argv[2] ? [process.argv[2]] : Object.keys(PROOFS);
if (names.some((name) => !(name in PROOFS))) {
  console.error(`usage: npm run test:proofs -- [${Object.keys(PROOFS).join('|')}]`);
  process.exit(2);
}
ensureDependencies();
ensurePrograms(['tmux', 'flock', ...names.flatMap((name) => PROOFS[name].programs ?? [])]);
ensureBuild();
if (names.includes('foreign')) await ensureForeign();
if (names.includes('agents')) await ensureClis(Object.keys(CLIS));
const NO_REPORT = 'the proof ended before it could report anything\n';
const directory = mkdtempSync(path.join(tmpdir(), 'rouse-proof-'));
try {
  for (const name of names) if (prove(name) !== 0) process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** Runs a proof and prints its report last, after the output of the test runner. */
function prove(name) {
  const { modes } = PROOFS[name];
  if (!modes) return proveIn(name);
  return Math.max(...modes.map((mode) => proveIn(name, mode)));
}

function proveIn(name, mode) {
  const { args, env } = proofCall(name);
  const report = path.join(directory, mode ? `${name}-${mode}` : name);
  if (mode) process.stdout.write(`\ngateways as ${mode}\n`);
  const proofEnv = { ...env, ROUSE_PROOF_REPORT: report, ...(mode && { ROUSE_TEST_MODE: mode }) };
  const { status } = spawnSync(vitest, args, { cwd: root, stdio: 'inherit', env: proofEnv });
  if (PROOFS[name].reports)
    process.stdout.write(existsSync(report) ? readFileSync(report, 'utf8') : NO_REPORT);
  return status;
}
