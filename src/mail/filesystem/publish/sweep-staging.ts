import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Layout } from '../root/layout.ts';

/** Leftovers of processes that died before they could rename them into place. */
export function sweepStaging(layout: Layout, olderThan: Date): number {
  let swept = 0;
  for (const name of fs.readdirSync(layout.staging)) {
    const file = path.join(layout.staging, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat?.isFile() || stat.mtimeMs >= olderThan.getTime()) continue;
    fs.rmSync(file, { force: true });
    swept++;
  }
  return swept;
}
