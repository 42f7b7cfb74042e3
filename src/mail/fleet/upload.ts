import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { errnoOf, invalid, notFound, randomHex } from '../../base/index.ts';
import { limit, limitHint, mediaTypeOf, type NewAttachment } from '../../domain/index.ts';
import type { FleetMailServer } from '../transport.ts';

/** What the server is told of a file whose bytes it has. */
export interface Carried {
  attachment_id: string;
  media_type: string;
  sha256: string;
  size_bytes: number;
  label: string;
}

/** A file that is to travel, as it was found. */
export interface Looked extends Carried {
  path: string;
}

const PART_BYTES = 1024 * 1024;

/**
 * Looks at each file once. A message that leaves this host carries bytes, whether a copy or a reference was asked for: what a
 * path names elsewhere is another file.
 */
export async function lookAt(attachments: readonly NewAttachment[]): Promise<Looked[]> {
  const looked: Looked[] = [];
  let left = limit('attachmentBytes');
  for (const [n, given] of attachments.entries()) {
    const one = await lookAtOne(given, `attachments[${n}].path`, left);
    left -= one.size_bytes;
    looked.push(one);
  }
  return looked;
}

async function lookAtOne(given: NewAttachment, field: string, left: number): Promise<Looked> {
  const file = await openFile(given.path, field);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw invalid(`${field}: ${given.path} is not a regular file`);
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of file.createReadStream({ autoClose: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > left) {
        throw invalid(
          `${field}: a message carries at most ${limit('attachmentBytes')} bytes of attachments`,
          {
            hint: limitHint('attachmentBytes'),
          },
        );
      }
      hash.update(chunk);
    }
    const name = path.basename(given.path);
    return {
      path: given.path,
      attachment_id: `att-${randomHex(6)}`,
      media_type: mediaTypeOf(name),
      sha256: hash.digest('hex'),
      size_bytes: size,
      label: given.label ?? plainName(name),
    };
  } finally {
    await file.close();
  }
}

async function openFile(file: string, field: string): Promise<fs.promises.FileHandle> {
  try {
    // O_NONBLOCK: a named pipe must not hang the sender.
    return await fs.promises.open(file, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR')
      throw notFound(`${field}: there is no file ${file}`);
    throw invalid(`${field}: cannot read ${file} (${errnoOf(error) ?? 'unknown error'})`, { cause: error });
  }
}

/** Puts the bytes on the server, piece by piece. Doing it twice is harmless. */
export async function upload(server: FleetMailServer, { path: file, sha256 }: Looked): Promise<void> {
  const handle = await openFile(file, 'attachment');
  try {
    const hash = createHash('sha256');
    for (let part = 0; ; part++) {
      const { bytesRead, buffer } = await handle.read(
        Buffer.alloc(PART_BYTES),
        0,
        PART_BYTES,
        part * PART_BYTES,
      );
      if (bytesRead === 0 && part > 0) break;
      const bytes = buffer.subarray(0, bytesRead);
      hash.update(bytes);
      const body = { sha256, part, content_base64: bytes.toString('base64') };
      await server.ask('attachments.put', { body });
      if (bytesRead < PART_BYTES) break;
    }
    if (hash.digest('hex') !== sha256) throw invalid(`${file} was changed while it was being sent`);
  } finally {
    await handle.close();
  }
}

/** A file name that can stand in a document and in a directory: no control characters, not hidden, not too long. */
export function plainName(name: string): string {
  const clean = name
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029/\\]/g, '_')
    .replace(/^\.+/, '_')
    .trim();
  return [...clean].slice(-60).join('') || 'attachment';
}
