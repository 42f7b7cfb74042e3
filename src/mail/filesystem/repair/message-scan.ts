import * as fs from 'node:fs';
import * as path from 'node:path';
import { ensurePrivateDirectory, invalid, messageOf } from '../../../base/index.ts';
import type { MailDocument } from '../../../domain/index.ts';
import { parseDocument } from '../document-text.ts';
import type { Layout } from '../root/layout.ts';

export type Scanned = { file: string } & ({ document: MailDocument } | { problem: string });

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Yields every message file, oldest first. Names sort by date and time, so only names are in memory. */
export function* scanMessages(layout: Layout): Generator<Scanned> {
  for (const day of list(layout.messages)) {
    const directory = path.join(layout.messages, day);
    if (!fs.lstatSync(directory).isDirectory()) {
      if (day.endsWith('.md')) yield scanFile(directory, '');
      continue;
    }
    for (const name of list(directory)) {
      if (name.endsWith('.md')) yield scanFile(path.join(directory, name), day);
    }
  }
}

function list(directory: string): string[] {
  return fs.existsSync(directory) ? fs.readdirSync(directory).sort() : [];
}

function scanFile(file: string, day: string): Scanned {
  try {
    const stat = fs.lstatSync(file);
    if (!stat.isFile()) throw invalid('is not a regular file');
    if (stat.size > MAX_FILE_BYTES) throw invalid('is larger than any message can be');
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
    const document = parseDocument(text, path.basename(file));
    if (path.basename(file) !== `${document.message_id}.md`)
      throw invalid('is not named after its message_id');
    if (day !== document.created_at_utc.slice(0, 10)) throw invalid('is not in the directory of its date');
    return { file, document };
  } catch (error) {
    return { file, problem: messageOf(error) };
  }
}

/** Moves a file where only people look, and returns its new path. */
export function quarantine(layout: Layout, file: string, stamp: string): string {
  const directory = path.join(layout.quarantine, stamp);
  ensurePrivateDirectory(directory);
  let target = path.join(directory, path.basename(file));
  for (let n = 2; fs.existsSync(target); n++) target = path.join(directory, `${path.basename(file)}.${n}`);
  fs.renameSync(file, target);
  return target;
}
