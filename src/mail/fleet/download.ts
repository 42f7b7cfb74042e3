import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ensurePrivateDirectory, invalid, randomHex } from '../../base/index.ts';
import {
  ATTACHMENT_ID,
  isMessageId,
  LIMITS,
  type MailAttachment,
  type MailMessage,
  parseMailRef,
} from '../../domain/index.ts';
import { PIECE_BYTES } from '../attachment-bytes.ts';
import type { FleetMailServer } from '../transport.ts';
import { FLEET } from './binding.ts';
import { plainName } from './upload.ts';

const MAX_PARTS = Math.ceil(LIMITS.attachmentBytes.max / PIECE_BYTES);

/** The server's message id. It names files here, so anything that is not an id is refused. */
export function fleetMessageId(ref: string): string {
  const id = parseMailRef(FLEET, ref);
  if (isMessageId(id)) return id;
  throw invalid(`${JSON.stringify(ref.slice(0, 100))} is no message of a fleet server`);
}

/**
 * Downloads the message's files beside this session; `locator` says where each is. A file that cannot be had now has no
 * locator and does not prevent reading. The server never decides where a file goes on this host.
 */
export async function withFiles(
  server: FleetMailServer,
  directory: string,
  message: MailMessage,
): Promise<MailMessage> {
  const messageId = fleetMessageId(message.message_ref);
  const attachments: MailAttachment[] = [];
  for (const { locator: _, ...attachment } of message.attachments) {
    const locator = await fetched(server, { directory, messageId, attachment }).catch(() => undefined);
    attachments.push(locator === undefined ? attachment : { ...attachment, locator });
  }
  return { ...message, attachments };
}

interface DownloadRequest {
  directory: string;
  messageId: string;
  attachment: MailAttachment;
}

/** A file has its final name only if it is complete and matches the sender's hash. */
async function fetched(
  server: FleetMailServer,
  { directory, messageId, attachment }: DownloadRequest,
): Promise<string> {
  const { attachment_id, label = '', sha256 } = attachment;
  if (!ATTACHMENT_ID.test(attachment_id)) throw invalid('the server names an attachment that is none');
  const folder = path.join(directory, 'attachments', messageId, attachment_id);
  const file = path.join(folder, plainName(label));
  if (fs.existsSync(file)) return file;
  ensurePrivateDirectory(folder);
  const half = path.join(folder, `.${randomHex(4)}`);
  const handle = await fs.promises.open(half, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let left = LIMITS.attachmentBytes.max;
    for (let part = 0, parts = 1; part < parts; part++) {
      const input = { message_id: messageId, attachment_id, part };
      const piece = await server.ask<{ parts: number; content_base64: string }>('attachments.get', input);
      const bytes = Buffer.from(piece.content_base64, 'base64');
      left -= bytes.length;
      if (left < 0 || piece.parts > MAX_PARTS) throw invalid('it is larger than any attachment');
      hash.update(bytes);
      await handle.write(bytes);
      parts = piece.parts;
    }
    await handle.sync();
    if (hash.digest('hex') !== sha256) throw new Error('the bytes are not those that were sent');
    fs.renameSync(half, file);
    return file;
  } finally {
    await handle.close();
    fs.rmSync(half, { force: true });
  }
}
