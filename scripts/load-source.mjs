// Imports a TypeScript module of src/ on any Node: bundled into node_modules, where its dependencies are found.
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from './setup.mjs';

export async function loadSource(entry) {
  const directory = mkdtempSync(path.join(root, 'node_modules', '.load-'));
  try {
    const outfile = path.join(directory, 'module.mjs');
    await esbuild.build({
      entryPoints: [path.join(root, entry)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      packages: 'external',
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
