import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  crashPoint,
  ensurePrivateDirectory,
  errnoOf,
  explainDisk,
  fsyncDirectory,
  invalid,
  notFound,
  randomHex,
} from '../../base/index.ts';
import { type DocumentAttachment, mediaTypeOf, type NewAttachment } from '../../domain/index.ts';
import type { Layout } from './root/layout.ts';
import { refuseLinkedDirectories } from './root/own-directories.ts';

/** Looks at each file once; copies are on disk, in a directory of their own, before the message is committed. */
export async function takeAttachments(
  layout: Layout,
  attachments: readonly NewAttachment[],
): Promise<DocumentAttachment[]> {
  const taken: DocumentAttachment[] = [];
  if (attachments.some(({ copy }) => copy)) refuseLinkedDirectories(layout);
  try {
    for (const [i, attachment] of attachments.entries()) {
      taken.push(await takeOne(layout, attachment, `attachments[${i}].path`));
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

async function takeOne(layout: Layout, given: NewAttachment, field: string): Promise<DocumentAttachment> {
  const id = `att-${randomHex(6)}`;
  const name = path.basename(given.path);
  const source = openRegularFile(given.path, field);
  const about = { attachment_id: id, media_type: mediaTypeOf(name), label: given.label ?? name };
  if (!given.copy) {
    const { sha256, size_bytes } = await digest(source);
    return { ...about, kind: 'path_ref', path: given.path, sha256, size_bytes };
  }
  const directory = path.join(layout.managed, id);
  ensurePrivateDirectory(directory);
  const kept = keptName(name);
  try {
    const { sha256, size_bytes } = await digest(source, path.join(directory, kept));
    fsyncDirectory(directory);
    fsyncDirectory(layout.managed);
    return { ...about, kind: 'managed_copy', path: `attachments/managed/${id}/${kept}`, sha256, size_bytes };
  } catch (error) {
    fs.rmSync(directory, { recursive: true, force: true });
    throw explainDisk(error, `${field}: no copy of ${given.path} could be kept`);
  }
}

/** A file name that can stand in a document: no control characters, not hidden, not too long. */
function keptName(name: string): string {
  const clean = name
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\\]/g, '_')
    .replace(/^\.+/, '_')
    .trim();
  return [...clean].slice(-60).join('') || 'attachment';
}

function openRegularFile(file: string, field: string): number {
  let fd: number;
  try {
    // O_NONBLOCK: a named pipe must not hang the sender.
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR')
      throw notFound(`${field}: there is no file ${file}`);
    throw invalid(`${field}: cannot read ${file} (${errnoOf(error) ?? 'unknown error'})`, { cause: error });
  }
  if (fs.fstatSync(fd).isFile()) return fd;
  fs.closeSync(fd);
  throw invalid(`${field}: ${file} is not a regular file`);
}

/** Hash and size of the bytes, copied on the way when a destination is given. */
async function digest(source: number, destination?: string): Promise<{ sha256: string; size_bytes: number }> {
  const hash = createHash('sha256');
  let size = 0;
  const out = destination === undefined ? undefined : fs.openSync(destination, 'wx', 0o600);
  try {
    await pipeline(fs.createReadStream('', { fd: source, highWaterMark: 1024 * 1024 }), async (chunks) => {
      for await (const chunk of chunks as AsyncIterable<Buffer>) {
        hash.update(chunk);
        size += chunk.length;
        if (out !== undefined) writeAll(out, chunk);
      }
    });
    if (out !== undefined) fs.fsyncSync(out);
  } finally {
    if (out !== undefined) fs.closeSync(out);
  }
  return { sha256: hash.digest('hex'), size_bytes: size };
}

function writeAll(fd: number, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) at += fs.writeSync(fd, chunk, at);
}
