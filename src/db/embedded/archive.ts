import * as fs from 'node:fs';
import * as path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ensurePrivateDirectory, internal } from '../../base/index.ts';

/**
 * Packs a directory into one compressed file: for each entry a line of JSON (`path`, `size`; a directory has no size),
 * then its bytes. Only regular files and directories, which is all that an initialised database has.
 */
export function packDirectory(directory: string): Buffer {
  const parts: Buffer[] = [];
  for (const entry of fs.readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    const name = path.relative(directory, full);
    const content = entry.isDirectory() ? undefined : fs.readFileSync(full);
    parts.push(Buffer.from(`${JSON.stringify({ path: name, size: content?.length })}\n`));
    if (content) parts.push(content);
  }
  return gzipSync(Buffer.concat(parts), { level: 9 });
}

/** Unpacks into a new directory. Refuses paths that lead out of it. */
export function unpackDirectory(archive: string, directory: string): void {
  const bytes = gunzipSync(fs.readFileSync(archive));
  ensurePrivateDirectory(directory);
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    const entry = JSON.parse(bytes.toString('utf8', at, end)) as { path: string; size?: number };
    const full = path.resolve(directory, entry.path);
    if (!full.startsWith(directory + path.sep))
      throw internal(`${archive} is not an archive that Rouse wrote`);
    at = end + 1;
    if (entry.size === undefined) ensurePrivateDirectory(full);
    else {
      ensurePrivateDirectory(path.dirname(full));
      fs.writeFileSync(full, bytes.subarray(at, at + entry.size), { mode: 0o600 });
      at += entry.size;
    }
  }
}
