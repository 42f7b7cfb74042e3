// `npm run test:nodes [-- 22 24]`: `npm test` and a short `npm start` in a fresh clone on each supported Node, which is
// installed from the registry into a temporary directory. Takes a while; run it by hand or nightly.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MAJORS, nodeDirectory } from './nodes.mjs';
import { root } from './setup.mjs';

const wanted = process.argv.slice(2).length ? process.argv.slice(2) : MAJORS;

function run(program, args, options) {
  const done = spawnSync(program, args, { stdio: 'inherit', ...options });
  return done.status === 0;
}

const results = {};
for (const major of wanted) {
  const place = mkdtempSync(path.join(tmpdir(), `rouse-node${major}-`));
  try {
    const clone = path.join(place, 'clone');
    run('git', ['clone', '-q', root, clone]);
    const bin = nodeDirectory(major, place);
    const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
    run('node', ['--version'], { env });
    const tested = run('npm', ['test'], { cwd: clone, env });
    const started = run('npm', ['start', '--', '--once'], { cwd: clone, env });
    results[major] =
      tested && started ? 'ok' : `test ${tested ? 'ok' : 'FAILED'}, start ${started ? 'ok' : 'FAILED'}`;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
for (const [major, result] of Object.entries(results)) console.log(`node ${major}: ${result}`);
if (Object.values(results).some((result) => result !== 'ok')) process.exit(1);
