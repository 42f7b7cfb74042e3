import * as fs from 'node:fs';
import * as path from 'node:path';
import { ensurePrivateDirectory, writeFileAtomic } from '../../base/index.ts';
import type { SessionAdditions } from '../../tools/index.ts';

/** Writes what a session adds for its tool. A link stays as it is once the tool has put a file of its own in its place. */
export function writeAdditions({ files, links = [] }: Pick<SessionAdditions, 'files' | 'links'>): void {
  for (const { path: file, content, mode = 0o600 } of files) {
    ensurePrivateDirectory(path.dirname(file));
    writeFileAtomic(file, content, { mode, durable: false });
  }
  for (const { path: link, target } of links) {
    ensurePrivateDirectory(path.dirname(link));
    if (!fs.lstatSync(link, { throwIfNoEntry: false })) fs.symlinkSync(target, link);
  }
}
