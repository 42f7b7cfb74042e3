import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ensurePrivateDirectory, randomHex } from '../../base/index.ts';
import { type MailAttachment, type MailMessage, parseMailRef } from '../../domain/index.ts';
import type { FleetMailServer } from '../transport.ts';
import { FLEET } from './binding.ts';
import { plainName } from './upload.ts';

/**
 * The message with its files beside this session, each where `locator` says. One that cannot be had now has no locator, and
 * keeps nobody from reading the message.
 */
export async function withFiles(
  server: FleetMailServer,
  directory: string,
  message: MailMessage,
): Promise<MailMessage> {
  const messageId = parseMailRef(FLEET, message.message_ref);
  const attachments: MailAttachment[] = [];
  for (const attachment of message.attachments) {
    const locator = await fetched(server, { directory, messageId, attachment }).catch(() => undefined);
    attachments.push(locator === undefined ? attachment : { ...attachment, locator });
  }
  return { ...message, attachments };
}

interface Wanted {
  directory: string;
  messageId: string;
  attachment: MailAttachment;
}

/** There is a file of that name only when it is whole: its bytes are what the sender said they are. */
async function fetched(
  server: FleetMailServer,
  { directory, messageId, attachment }: Wanted,
): Promise<string> {
  const { attachment_id, label = '', sha256 } = attachment;
  const folder = path.join(directory, 'attachments', messageId, attachment_id);
  const file = path.join(folder, plainName(label));
  if (fs.existsSync(file)) return file;
  ensurePrivateDirectory(folder);
  const half = path.join(folder, `.${randomHex(4)}`);
  const handle = await fs.promises.open(half, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    for (let part = 0, parts = 1; part < parts; part++) {
      const input = { message_id: messageId, attachment_id, part };
      const piece = await server.ask<{ parts: number; content_base64: string }>('attachments.get', input);
      const bytes = Buffer.from(piece.content_base64, 'base64');
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
