import { invalid } from '../../base/index.ts';
import type { NewAttachment } from '../../domain/index.ts';

/** The body with the bytes of its attachments instead of their paths. */
export async function withBytes(body: object): Promise<object> {
  const { attachments } = body as { attachments?: NewAttachment[] };
  if (!attachments || attachments.every(({ path }) => path === undefined)) return body;
  const { ANY_FILE, bytesOf, nameOf } = await import('../../mail/index.ts');
  const { limit, limitHint } = await import('../../domain/index.ts');
  // Base64 takes four bytes for three, and the message needs some room.
  let maxBytes = Math.floor(limit('bodyBytes') * 0.7);
  const carried: NewAttachment[] = [];
  for (const [n, { path, ...given }] of attachments.entries()) {
    const field = `attachments[${n}]`;
    const pieces: Buffer[] = [];
    const reading = {
      files: ANY_FILE,
      field,
      maxBytes: limit('attachmentBytes'),
      limitName: 'attachmentBytes',
    } as const;
    for await (const piece of bytesOf({ path, ...given }, reading)) {
      maxBytes -= piece.length;
      if (maxBytes < 0)
        throw invalid(`${field}: too large to be carried to another host in one call`, {
          hint: limitHint('bodyBytes'),
        });
      pieces.push(piece);
    }
    const content_base64 = Buffer.concat(pieces).toString('base64');
    carried.push({ ...given, name: nameOf({ path, ...given }), content_base64 });
  }
  return { ...body, attachments: carried };
}
