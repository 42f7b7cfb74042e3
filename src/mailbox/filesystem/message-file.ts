import * as fs from 'node:fs';
import * as path from 'node:path';
import { crashPoint, ensurePrivateDirectory, errnoOf, randomHex, readIfExists } from '../../base/index.ts';
import type { MailDocument } from '../../domain/index.ts';
import { parseDocument, renderDocument } from './document-text.ts';
import { canonicalPath, type Layout } from './layout.ts';

/** Publishes the file of a message in one step. It is not flushed to disk here: the index can write it again. */
export function writeMessageFile(layout: Layout, document: MailDocument): void {
  const target = path.join(layout.root, canonicalPath(document.message_id, document.created_at_utc));
  const staged = path.join(layout.staging, `${document.message_id}.${process.pid}-${randomHex(4)}.tmp`);
  fs.writeFileSync(staged, renderDocument(document), { flag: 'wx', mode: 0o600 });
  crashPoint('mailbox.publish.staged');
  try {
    renameInto(staged, target);
  } catch (error) {
    fs.rmSync(staged, { force: true });
    throw error;
  }
}

function renameInto(staged: string, target: string): void {
  try {
    fs.renameSync(staged, target);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    ensurePrivateDirectory(path.dirname(target));
    fs.renameSync(staged, target);
  }
}

/** True when the file is there and says what the index says. */
export function messageFileIsGood(layout: Layout, document: MailDocument): boolean {
  const text = readIfExists(
    path.join(layout.root, canonicalPath(document.message_id, document.created_at_utc)),
  );
  if (text === undefined) return false;
  if (text === renderDocument(document)) return true;
  try {
    return renderDocument(parseDocument(text, document.message_id)) === renderDocument(document);
  } catch {
    return false;
  }
}
