import * as path from 'node:path';
import { forbidden, invalid, notFound, openRegular } from '../base/index.ts';
import { type LimitName, limit, limitHint, type NewAttachment } from '../domain/index.ts';
import type { FileAccess } from './file-access.ts';

/** The size of every piece except the last. */
export const PIECE_BYTES = 1024 * 1024;

export interface Reading {
  files: FileAccess;
  /** How errors name the attachment: `attachments[0]`. */
  field: string;
  /** Max bytes, from the limit `limitName`. */
  maxBytes: number;
  limitName: LimitName;
}

/** The attachment's default name. */
export function nameOf({ path: file, name }: NewAttachment): string {
  return path.basename(file ?? name ?? '') || 'attachment';
}

/** Yields the bytes of an attachment in pieces. Each call opens and checks the file again. */
export async function* bytesOf(attachment: NewAttachment, reading: Reading): AsyncGenerator<Buffer> {
  const { maxBytes, limitName, field } = reading;
  let size = 0;
  for await (const piece of attachment.path === undefined
    ? pieces(Buffer.from(attachment.content_base64 ?? '', 'base64'))
    : piecesOfFile(attachment.path, reading)) {
    size += piece.length;
    if (size > maxBytes)
      throw invalid(`${field}: the attachments of a message have at most ${limit(limitName)} bytes`, {
        hint: limitHint(limitName),
      });
    yield piece;
  }
}

function* pieces(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

async function* piecesOfFile(file: string, { files, field }: Reading): AsyncGenerator<Buffer> {
  if (files.may === 'none') throw notYours(field, files);
  const opened = await openRegular(file, files.may === 'below' ? files : undefined);
  if ('refused' in opened) {
    const { refused, errno } = opened;
    if (refused === 'outside') throw notYours(field, files);
    if (refused === 'shared') throw sharedFile(field, file);
    if (refused === 'missing') throw notFound(`${field}.path: there is no file ${file}`);
    if (refused === 'not_regular') throw invalid(`${field}.path: ${file} is not a regular file`);
    throw invalid(`${field}.path: cannot read ${file} (${errno ?? 'unknown error'})`);
  }
  try {
    for (;;) {
      const piece = Buffer.alloc(PIECE_BYTES);
      let filled = 0;
      while (filled < PIECE_BYTES) {
        const { bytesRead } = await opened.handle.read(piece, filled, PIECE_BYTES - filled, null);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled > 0) yield piece.subarray(0, filled);
      if (filled < PIECE_BYTES) return;
    }
  } finally {
    await opened.handle.close();
  }
}

/** A hard link can bring a secret into a project just as a symbolic link can. */
function sharedFile(field: string, file: string): Error {
  return forbidden(
    `${field}.path: ${file} is a hard link: the same file has another name, which may lie elsewhere`,
    {
      hint: 'copy it and attach the copy, or send the bytes: "name" and "content_base64" instead of "path"',
      facts: { cause: 'path_not_allowed' },
    },
  );
}

function notYours(field: string, files: FileAccess): Error {
  const where = files.may === 'below' ? ` below ${files.directory}` : '';
  return forbidden(
    where
      ? `${field}.path: only files${where}, the working directory of the session, can be attached by path`
      : `${field}.path: files cannot be attached by path here`,
    {
      hint: 'send the bytes: "name" and "content_base64" instead of "path"',
      facts: { cause: 'path_not_allowed' },
    },
  );
}
