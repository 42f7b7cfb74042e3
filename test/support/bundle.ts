import * as esbuild from 'esbuild';

/** Bundles a TypeScript program of the tests into one file, whole or with `packages: 'external'` beside node_modules. */
export async function bundle(
  source: string,
  outfile: string,
  more: Pick<esbuild.BuildOptions, 'packages' | 'external'> = {},
): Promise<void> {
  await esbuild.build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    logLevel: 'error',
    ...more,
  });
}
