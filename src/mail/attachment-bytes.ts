import * as path from 'node:path';
import { forbidden, invalid, notFound, openRegular } from '../base/index.ts';
import { type LimitName, limit, limitHint, type NewAttachment } from '../domain/index.ts';
import type { FileAccess } from './file-access.ts';

/** Every piece has this size but the last. */
export const PIECE_BYTES = 1024 * 1024;

export interface Reading {
  files: FileAccess;
  /** How errors name the attachment: `attachments[0]`. */
  field: string;
  /** How many bytes it may have, of the limit that is named. */
  most: number;
  limitName: LimitName;
}

/** What an attachment is called when nobody said otherwise. */
export function nameOf({ path: file, name }: NewAttachment): string {
  return path.basename(file ?? name ?? '') || 'attachment';
}

/** The bytes of an attachment, in pieces. Asked again, it is opened and judged again. */
export async function* bytesOf(given: NewAttachment, reading: Reading): AsyncGenerator<Buffer> {
  const { most, limitName, field } = reading;
  let size = 0;
  for await (const piece of given.path === undefined
    ? pieces(Buffer.from(given.content_base64 ?? '', 'base64'))
    : piecesOfFile(given.path, reading)) {
    size += piece.length;
    if (size > most)
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

/** A second name of a secret may stand in a project as well as a link to it. */
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
