import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import * as path from 'node:path';
import { Readable } from 'node:stream';
import { conflict, invalid, notFound, openRegular } from '../../../base/index.ts';
import type { MailAttachment } from '../../../domain/index.ts';
import { PAGE_HEADERS } from '../door/shell.ts';

export type StoredAttachment = MailAttachment & { locator: string };

/** The browser never displays the file itself, whatever it is. */
export async function download({
  locator,
  label = path.basename(locator),
  kind,
  sha256,
}: StoredAttachment): Promise<Response> {
  const opened = await openRegular(locator, kind === 'managed_copy' ? ownPlace(locator) : undefined);
  if ('refused' in opened)
    throw notFound(
      opened.refused === 'missing'
        ? 'the attached file is no longer there'
        : 'the attachment is not a file any more',
    );
  const { handle, size } = opened;
  // The file behind a reference may have been replaced since. Only what was sent is handed out.
  if (kind === 'path_ref' && (await digestOf(handle)) !== sha256) {
    await handle.close();
    throw conflict('the attached file was changed after the message was written', {
      hint: 'ask for it to be sent again, with --attach-copy',
    });
  }
  const name = encodeURIComponent(label).replaceAll("'", '%27');
  return new Response(Readable.toWeb(handle.createReadStream({ start: 0 })) as ReadableStream<Uint8Array>, {
    headers: {
      ...PAGE_HEADERS,
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'application/octet-stream',
      'content-length': String(size),
      'content-disposition': `attachment; filename*=UTF-8''${name}`,
    },
  });
}

/** Our copy is in a directory of its own, and no link leads out of it. */
const ownPlace = (locator: string) => ({ directory: path.dirname(locator), except: [] });

async function digestOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of handle.createReadStream({ start: 0, autoClose: false })) hash.update(piece);
  return hash.digest('hex');
}

/** The bytes of a copy that is kept with the mail. */
export async function copiedBytes({ locator }: StoredAttachment, maxBytes: number): Promise<Buffer> {
  const opened = await openRegular(locator, ownPlace(locator));
  if ('refused' in opened) throw notFound('the attached file is no longer there');
  const { handle, size } = opened;
  try {
    if (size > maxBytes)
      throw invalid(`an attachment has ${size} bytes, and at most ${maxBytes} can be forwarded`, {
        hint: 'send its path instead',
      });
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}
