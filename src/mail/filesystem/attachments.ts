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

/** Reads each file once. Copies are on disk, each in its own directory, before the message is committed. */
export async function takeAttachments(
  layout: Layout,
  attachments: readonly NewAttachment[],
  files: FileAccess,
): Promise<DocumentAttachment[]> {
  const taken: DocumentAttachment[] = [];
  if (attachments.some(({ copy, path: file }) => copy || file === undefined)) refuseLinkedDirectories(layout);
  const limitName = files.may === 'any' ? 'localAttachmentBytes' : 'attachmentBytes';
  let maxBytes = limit(limitName);
  try {
    for (const [i, attachment] of attachments.entries()) {
      const one = await takeOne(layout, attachment, {
        files,
        field: `attachments[${i}]`,
        maxBytes,
        limitName,
      });
      maxBytes -= one.size_bytes ?? 0;
      taken.push(one);
    }
  } catch (error) {
    dropCopies(layout, taken);
    throw error;
  }
  if (taken.some(({ kind }) => kind === 'managed_copy')) crashPoint('mailbox.attachments.copied');
  return taken;
}

/** Removes copies of a message that was not delivered. */
export function dropCopies(layout: Layout, attachments: readonly DocumentAttachment[]): void {
  for (const { kind, attachment_id } of attachments) {
    if (kind === 'managed_copy') {
      fs.rmSync(path.join(layout.managed, attachment_id), { recursive: true, force: true });
    }
  }
}

async function takeOne(
  layout: Layout,
  attachment: NewAttachment,
  reading: Reading,
): Promise<DocumentAttachment> {
  const id = `att-${randomHex(6)}`;
  const name = nameOf(attachment);
  const about = {
    attachment_id: id,
    media_type: mediaTypeOf(name),
    label: attachment.label ?? shownName(name),
  };
  if (attachment.path !== undefined && !attachment.copy) {
    const { sha256, size_bytes } = await digest(bytesOf(attachment, reading));
    return { ...about, kind: 'path_ref', path: attachment.path, sha256, size_bytes };
  }
  const directory = path.join(layout.managed, id);
  ensurePrivateDirectory(directory);
  const kept = keptName(name);
  try {
    const { sha256, size_bytes } = await digest(bytesOf(attachment, reading), path.join(directory, kept));
    fsyncDirectory(directory);
    fsyncDirectory(layout.managed);
    return { ...about, kind: 'managed_copy', path: `attachments/managed/${id}/${kept}`, sha256, size_bytes };
  } catch (error) {
    fs.rmSync(directory, { recursive: true, force: true });
    throw explainDisk(error, `${reading.field}: no copy of ${name} could be kept`);
  }
}

/** A file name that is safe in a document: no terminal controls or text direction marks, not hidden, not too long. */
function keptName(name: string): string {
  const clean = shownName(name).replaceAll('\\', '_').replace(/^\.+/, '_').trim();
  return [...clean].slice(-60).join('') || 'attachment';
}

/** Hashes and counts the bytes, and copies them if a destination is passed. */
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
