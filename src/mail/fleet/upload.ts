import { createHash } from 'node:crypto';
import { invalid, randomHex, shownName } from '../../base/index.ts';
import { limit, mediaTypeOf, type NewAttachment } from '../../domain/index.ts';
import { bytesOf, nameOf, type Reading } from '../attachment-bytes.ts';
import { ANY_FILE, type FileAccess } from '../file-access.ts';
import type { FleetMailServer } from '../transport.ts';

const LIMIT = 'attachmentBytes';

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
  /** Its bytes, read again. */
  bytes: () => AsyncIterable<Buffer>;
}

/** The same, kept on this host until the server has it. */
export interface Kept extends Carried {
  path: string;
}

/**
 * Looks at each file once. A message that leaves this host carries bytes, whether a copy or a reference was asked for: what a
 * path names elsewhere is another file.
 */
export async function lookAt(attachments: readonly NewAttachment[], files: FileAccess): Promise<Looked[]> {
  const looked: Looked[] = [];
  let most = limit(LIMIT);
  for (const [n, given] of attachments.entries()) {
    const one = await lookAtOne(given, { files, field: `attachments[${n}]`, most, limitName: LIMIT });
    most -= one.size_bytes;
    looked.push(one);
  }
  return looked;
}

async function lookAtOne(given: NewAttachment, reading: Reading): Promise<Looked> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of bytesOf(given, reading)) {
    size += piece.length;
    hash.update(piece);
  }
  const name = nameOf(given);
  return {
    attachment_id: `att-${randomHex(6)}`,
    media_type: mediaTypeOf(name),
    sha256: hash.digest('hex'),
    size_bytes: size,
    label: given.label ?? plainName(name),
    bytes: () => bytesOf(given, reading),
  };
}

/** A file of the outbox, which is ours. */
export function keptBytes({ path }: Kept): AsyncIterable<Buffer> {
  return bytesOf({ path }, { files: ANY_FILE, field: 'attachment', most: limit(LIMIT), limitName: LIMIT });
}

/** Puts the bytes on the server, piece by piece. Doing it twice is harmless. */
export async function upload(
  server: FleetMailServer,
  { sha256, label }: Carried,
  bytes: AsyncIterable<Buffer>,
): Promise<void> {
  const hash = createHash('sha256');
  const put = (part: number, piece: Buffer) =>
    server.ask('attachments.put', { body: { sha256, part, content_base64: piece.toString('base64') } });
  let part = 0;
  for await (const piece of bytes) {
    hash.update(piece);
    await put(part++, piece);
  }
  if (part === 0) await put(0, Buffer.alloc(0));
  if (hash.digest('hex') !== sha256) throw invalid(`${label} was changed while it was being sent`);
}

/** A file name that can stand in a document and in a directory: no control characters, not hidden, not too long. */
export function plainName(name: string): string {
  const clean = shownName(name).replace(/[/\\]/g, '_').replace(/^\.+/, '_').trim();
  return [...clean].slice(-60).join('') || 'attachment';
}
