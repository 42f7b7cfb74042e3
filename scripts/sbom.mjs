// The package's bill of materials as CycloneDX, from the lock file alone: the same commit gives the same bytes.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const { name } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** The text of the bill of materials: all dependencies that are installed with the package. */
export function billOfMaterials() {
  // Settings of the npm that runs this (`npm install --global .`) must not apply to the npm called here.
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^npm_/i.test(key)));
  const args = ['sbom', '--omit', 'dev', '--package-lock-only', '--sbom-format', 'cyclonedx'];
  const done = spawnSync('npm', [...args, '--sbom-type', 'application'], {
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.status !== 0) throw new Error(`npm sbom failed:\n${done.stderr ?? done.error}`);
  const bill = JSON.parse(done.stdout);
  // These differ between builds; npm takes the name from the directory.
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  bill.metadata.component.name = name;
  return `${JSON.stringify(bill, null, 1)}\n`;
}
