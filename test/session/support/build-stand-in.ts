import * as fs from 'node:fs';
import * as path from 'node:path';
import * as esbuild from 'esbuild';

/** The stand-in gateway as a program, with the faults that STAND_IN names. */
export async function buildStandIn(directory: string): Promise<string[]> {
  const file = path.join(directory, 'stand-in-gateway.mjs');
  fs.symlinkSync(
    path.resolve(import.meta.dirname, '../../../node_modules'),
    path.join(directory, 'node_modules'),
  );
  await esbuild.build({
    entryPoints: [path.join(import.meta.dirname, 'stand-in-gateway.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    external: ['koffi'],
    outfile: file,
    logLevel: 'error',
  });
  return [process.execPath, file];
}
