// `npm run release`: creates a release in release/: the package, its bill of materials and their checksums. Publishes nothing,
// but prints how to. Needs a clean tree that passed its tests.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { billOfMaterials } from './sbom.mjs';
import { root } from './setup.mjs';

const { name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const target = path.join(root, 'release');

function output(program, ...args) {
  const done = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  if (done.status !== 0) {
    console.error(`${program} ${args.join(' ')} failed:\n${done.stdout}${done.stderr}`);
    process.exit(1);
  }
  return done.stdout;
}

if (output('git', 'status', '--porcelain').trim() !== '') {
  console.error('release: commit or stash your changes first; a release is made from a commit');
  process.exit(1);
}
output(process.execPath, 'scripts/check.mjs');
rmSync(target, { recursive: true, force: true });
mkdirSync(target);
// npm 12 returns an object by name, earlier versions a list.
const [{ filename }] = Object.values(
  JSON.parse(output('npm', 'pack', '--json', '--pack-destination', target)),
);
const sbom = `${name}-${version}.cdx.json`;
writeFileSync(path.join(target, sbom), billOfMaterials());
const sums = [filename, sbom].map((file) => {
  const digest = createHash('sha256')
    .update(readFileSync(path.join(target, file)))
    .digest('hex');
  return `${digest}  ${file}\n`;
});
writeFileSync(path.join(target, 'SHA256SUMS'), sums.join(''));
console.log(`made from ${output('git', 'rev-parse', 'HEAD').trim()}:\n${sums.join('')}`);
console.log(
  `publish it from CI, where npm can prove where it was built:\n  npm publish --provenance release/${filename}`,
);
