// `npm run test:nodes [-- 22 24]`: a fresh clone's `npm test` and a short `npm start` on each supported Node, taken from
// the registry into a temporary directory. Takes a while; run by hand or nightly.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from './setup.mjs';

const VERSIONS = { 20: '20', 22: '22.23.3', 24: '24.21.0', 26: '26.10.0' };
const wanted = process.argv.slice(2).length ? process.argv.slice(2) : Object.keys(VERSIONS);

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
    let bin = path.dirname(process.execPath);
    if (!process.version.startsWith(`v${major}.`)) {
      const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
      run('npm', [
        'install',
        '--prefix',
        place,
        '--no-save',
        '--loglevel=error',
        `node-linux-${arch}@${VERSIONS[major] ?? major}`,
      ]);
      bin = path.join(place, 'node_modules', `node-linux-${arch}`, 'bin');
    }
    if (!readdirSync(bin).includes('node')) throw new Error(`no node in ${bin}`);
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
