import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  crashPoint,
  ensurePrivateDirectory,
  explainDisk,
  fsyncDirectory,
  randomHex,
  shownName,
} from '../../base/index.ts';
import { type DocumentAttachment, limit, mediaTypeOf, type NewAttachment } from '../../domain/index.ts';
import { bytesOf, nameOf, type Reading } from '../attachment-bytes.ts';
import type { FileAccess } from '../file-access.ts';
import type { Layout } from './root/layout.ts';
import { refuseLinkedDirectories } from './root/own-directories.ts';

/** Looks at each file once; copies are on disk, in a directory of their own, before the message is committed. */
export async function takeAttachments(
  layout: Layout,
  attachments: readonly NewAttachment[],
  files: FileAccess,
): Promise<DocumentAttachment[]> {
  const taken: DocumentAttachment[] = [];
  if (attachments.some(({ copy, path: file }) => copy || file === undefined)) refuseLinkedDirectories(layout);
  const limitName = files.may === 'any' ? 'localAttachmentBytes' : 'attachmentBytes';
  let most = limit(limitName);
  try {
    for (const [i, attachment] of attachments.entries()) {
      const one = await takeOne(layout, attachment, { files, field: `attachments[${i}]`, most, limitName });
      most -= one.size_bytes ?? 0;
      taken.push(one);
    }
  } catch (error) {
    dropCopies(layout, taken);
    throw error;
  }
  if (taken.some(({ kind }) => kind === 'managed_copy')) crashPoint('mailbox.attachments.copied');
  return taken;
}

/** Removes copies whose message was not delivered after all. */
export function dropCopies(layout: Layout, attachments: readonly DocumentAttachment[]): void {
  for (const { kind, attachment_id } of attachments) {
    if (kind === 'managed_copy') {
      fs.rmSync(path.join(layout.managed, attachment_id), { recursive: true, force: true });
    }
  }
}

async function takeOne(layout: Layout, given: NewAttachment, reading: Reading): Promise<DocumentAttachment> {
  const id = `att-${randomHex(6)}`;
  const name = nameOf(given);
  const about = { attachment_id: id, media_type: mediaTypeOf(name), label: given.label ?? shownName(name) };
  if (given.path !== undefined && !given.copy) {
    const { sha256, size_bytes } = await digest(bytesOf(given, reading));
    return { ...about, kind: 'path_ref', path: given.path, sha256, size_bytes };
  }
  const directory = path.join(layout.managed, id);
  ensurePrivateDirectory(directory);
  const kept = keptName(name);
  try {
    const { sha256, size_bytes } = await digest(bytesOf(given, reading), path.join(directory, kept));
    fsyncDirectory(directory);
    fsyncDirectory(layout.managed);
    return { ...about, kind: 'managed_copy', path: `attachments/managed/${id}/${kept}`, sha256, size_bytes };
  } catch (error) {
    fs.rmSync(directory, { recursive: true, force: true });
    throw explainDisk(error, `${reading.field}: no copy of ${name} could be kept`);
  }
}

/** A file name that can stand in a document: nothing that controls a terminal or turns text around, not hidden, not too long. */
function keptName(name: string): string {
  const clean = shownName(name).replaceAll('\\', '_').replace(/^\.+/, '_').trim();
  return [...clean].slice(-60).join('') || 'attachment';
}

/** Hash and size of the bytes, copied on the way when a destination is given. */
async function digest(
  bytes: AsyncIterable<Buffer>,
  destination?: string,
): Promise<{ sha256: string; size_bytes: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const out = destination === undefined ? undefined : fs.openSync(destination, 'wx', 0o600);
  try {
    for await (const piece of bytes) {
      hash.update(piece);
      size += piece.length;
      if (out !== undefined) writeAll(out, piece);
    }
    if (out !== undefined) fs.fsyncSync(out);
  } finally {
    if (out !== undefined) fs.closeSync(out);
  }
  return { sha256: hash.digest('hex'), size_bytes: size };
}

function writeAll(fd: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += fs.writeSync(fd, chunk, at);
}
