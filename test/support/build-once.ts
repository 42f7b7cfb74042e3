import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import * as path from 'node:path';
import { drawSeed } from './draw-seed.ts';

/** Walk tests run the built program. `npm test` builds it; if a test runs alone with vitest, a stale build is renewed here. */
export default function buildOnce(): void {
  console.log(`samples and properties are drawn with ROUSE_SEED=${drawSeed()}`);
  const root = path.resolve(import.meta.dirname, '../..');
  if (newest(path.join(root, 'src')) < modified(path.join(root, 'dist', 'rouse.cjs'))) return;
  const done = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`build failed: ${done.stderr}`);
}

function newest(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Math.max(...files.map((entry) => modified(path.join(entry.parentPath, entry.name))));
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
