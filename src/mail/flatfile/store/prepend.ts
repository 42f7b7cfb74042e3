import { conflict, crashPoint } from '../../../base/index.ts';
import { contentHash } from '../format/block.ts';
import type { ByteSource } from '../format/byte-source.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { type FoundMessage, messagesIn } from '../format/found-message.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { placeOnTop } from './place-on-top.ts';
import { fsyncDirectoryOf, rewriteFile } from './rewrite.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { fsync } from './splice.ts';

/** One mailbox to change. `step` receives the name of each durable step. */
export interface MailboxParts {
  paths: MailboxPaths;
  step?: ((name: string) => void) | undefined;
}

/**
 * Puts a message on top of the mailbox, unless its id is already in the mailbox or its archive. The caller holds the
 * lock and has recovered what a crash left.
 */
export async function prependMessage(
  { paths, step = crashPoint }: MailboxParts,
  message: FlatMessage,
): Promise<'prepended' | 'duplicate'> {
  const report = (name: string): void => step(`flatfile.prepend.${name}`);
  report('locked');
  const changed = await rewriteFile(paths.mailbox, {
    step: report,
    plan: async (base) =>
      (await isKnown(paths, base, message)) ? [] : [placeOnTop(paths.basename, base, [message])],
  });
  return changed ? 'prepended' : 'duplicate';
}

/** True for the same id with the same content; `conflict` for the same id with other content. */
async function isKnown(paths: MailboxPaths, base: Snapshot, message: FlatMessage): Promise<boolean> {
  const id = message.fields.get('msg-id');
  if (id === undefined) return false;
  const archive = openSnapshot(paths.archive);
  try {
    for (const snapshot of [base, archive]) {
      const found = findId(snapshot.source, id);
      if (!found) continue;
      if (contentHash(found.read()) !== contentHash(message)) throw otherContent(id, paths);
      // Its writer may have died between rename and fsync: a message that is reported as delivered must be durable.
      await fsync(snapshot.fd, snapshot.source.size);
      await fsyncDirectoryOf(paths.mailbox);
      return true;
    }
    return false;
  } finally {
    archive.close();
  }
}

function otherContent(id: string, paths: MailboxPaths): Error {
  return conflict(`msg-id ${id} is known in ${paths.mailbox} with other content; nothing was written`, {
    hint: 'send a new message under a new msg-id, or retry with exactly the first content',
    facts: { msg_id: id },
  });
}

/** The message with exactly this id. Envelopes are parsed only where the bytes of the id occur at all. */
function findId(source: ByteSource, id: string): FoundMessage | undefined {
  if (isWrittenAsIs(id) && !contains(source, Buffer.from(id))) return undefined;
  for (const message of messagesIn(source)) if (message.id === id) return message;
  return undefined;
}

/** No writer quotes or escapes these characters; an id with others may be in the file in another spelling. */
const isWrittenAsIs = (id: string): boolean => /^[\w.@:+-]+$/.test(id);

const PIECE = 1024 * 1024;

function contains(source: ByteSource, bytes: Buffer): boolean {
  for (let at = 0; at < source.size; at += PIECE) {
    if (source.read(at, PIECE + bytes.length).includes(bytes)) return true;
  }
  return false;
}
