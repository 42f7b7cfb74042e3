import * as fs from 'node:fs';
import * as path from 'node:path';
import { bundle } from '../../support/bundle.ts';

/** The stand-in gateway as a program, with the faults that STAND_IN names. */
export async function buildStandIn(directory: string): Promise<string[]> {
  const file = path.join(directory, 'stand-in-gateway.mjs');
  fs.symlinkSync(
    path.resolve(import.meta.dirname, '../../../node_modules'),
    path.join(directory, 'node_modules'),
  );
  await bundle(path.join(import.meta.dirname, 'stand-in-gateway.ts'), file, { external: ['koffi'] });
  return [process.execPath, file];
}
