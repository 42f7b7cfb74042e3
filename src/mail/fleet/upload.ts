import { createHash } from 'node:crypto';
import { invalid, randomHex, shownName } from '../../base/index.ts';
import { limit, mediaTypeOf, type NewAttachment } from '../../domain/index.ts';
import { bytesOf, nameOf, type Reading } from '../attachment-bytes.ts';
import { ANY_FILE, type FileAccess } from '../file-access.ts';
import type { FleetMailServer } from '../transport.ts';

const LIMIT = 'attachmentBytes';

/** Describes a file whose bytes the server has. */
export interface FileDescription {
  attachment_id: string;
  media_type: string;
  sha256: string;
  size_bytes: number;
  label: string;
}

/** A file to send, as it was found. */
export interface InspectedFile extends FileDescription {
  /** Reads its bytes again. */
  bytes: () => AsyncIterable<Buffer>;
}

/** A file kept on this host until the server has it. */
export interface Kept extends FileDescription {
  path: string;
}

/**
 * Reads each file once. A message that leaves this host carries bytes, even if a reference was asked for: the same path
 * elsewhere is another file.
 */
export async function inspectFiles(
  attachments: readonly NewAttachment[],
  files: FileAccess,
): Promise<InspectedFile[]> {
  const inspected: InspectedFile[] = [];
  let maxBytes = limit(LIMIT);
  for (const [n, attachment] of attachments.entries()) {
    const one = await inspectFile(attachment, {
      files,
      field: `attachments[${n}]`,
      maxBytes,
      limitName: LIMIT,
    });
    maxBytes -= one.size_bytes;
    inspected.push(one);
  }
  return inspected;
}

async function inspectFile(attachment: NewAttachment, reading: Reading): Promise<InspectedFile> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of bytesOf(attachment, reading)) {
    size += piece.length;
    hash.update(piece);
  }
  const name = nameOf(attachment);
  return {
    attachment_id: `att-${randomHex(6)}`,
    media_type: mediaTypeOf(name),
    sha256: hash.digest('hex'),
    size_bytes: size,
    label: attachment.label ?? plainName(name),
    bytes: () => bytesOf(attachment, reading),
  };
}

/** The bytes of a file in the outbox, which is ours. */
export function keptBytes({ path }: Kept): AsyncIterable<Buffer> {
  return bytesOf(
    { path },
    { files: ANY_FILE, field: 'attachment', maxBytes: limit(LIMIT), limitName: LIMIT },
  );
}

/** Uploads the bytes piece by piece. Repeating it is harmless. */
export async function upload(
  server: FleetMailServer,
  { sha256, label }: FileDescription,
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

/** A file name that is safe in a document and a directory: no control characters, not hidden, not too long. */
export function plainName(name: string): string {
  const clean = shownName(name).replace(/[/\\]/g, '_').replace(/^\.+/, '_').trim();
  return [...clean].slice(-60).join('') || 'attachment';
}
