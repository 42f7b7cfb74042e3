import * as fs from 'node:fs';
import { commandLine, notFound } from '../../base/index.ts';
import { bodyPreview } from '../../domain/index.ts';
import type { ByteSource } from './format/byte-source.ts';
import { type FlatMessage, statusOf } from './format/envelope.ts';
import { type FoundMessage, messagesIn } from './format/found-message.ts';
import { readHead } from './format/read-block.ts';
import type { MailboxPaths } from './store/mailbox-path.ts';
import { movedAway } from './store/move-blocks.ts';
import { identityOf, openSnapshot, type Snapshot } from './store/snapshot.ts';

export interface ListOptions {
  /** Only messages whose fields pass. */
  where?: ((fields: ReadonlyMap<string, string>) => boolean) | undefined;
  /** Only messages whose subject and body pass. Checked after `where`, because it reads the body. */
  holds?: ((re: string, body: string) => boolean) | undefined;
  limit?: number | undefined;
  /** Only messages below this one; `not_found` if it is gone. */
  after?: string | undefined;
  includeBody?: boolean | undefined;
}

/** A message, its name and the head of its body. */
export interface FoundEntry {
  ref: string;
  fields: ReadonlyMap<string, string>;
  /** The effective status. */
  status: string;
  preview: string;
  /** Only if asked for. */
  body?: string;
}

export interface ShownMessage extends FlatMessage {
  ref: string;
  status: string;
  archived: boolean;
}

export interface Listing {
  /** False if there is no such file. */
  exists: boolean;
  /** Newest first. */
  entries: FoundEntry[];
  /** There are more below the last one. */
  more: boolean;
  /** Unterminated envelopes in the part that was read. */
  damaged: number;
}

const MAX_READS = 4;

/** Reads from the top and stops when it has enough, so a page costs the same in a mailbox of any size. */
export function listMessages(paths: MailboxPaths, options: ListOptions = {}): Listing {
  return readSnapshot(paths.mailbox, (base) => collect(paths, base, options));
}

/** A rename shows every reader one whole version. A file edited in place while it is read is read again. */
function readSnapshot<T>(file: string, read: (base: Snapshot) => T): T {
  for (let attempt = 1; ; attempt++) {
    const base = openSnapshot(file);
    try {
      const result = read(base);
      const still =
        base.fd === -1 || identityOf(fs.fstatSync(base.fd, { bigint: true })) === identityOf(base.stat);
      if (still || attempt === MAX_READS) return result;
    } finally {
      base.close();
    }
  }
}

function collect(paths: MailboxPaths, base: Snapshot, options: ListOptions): Listing {
  const { where = () => true, holds, limit = Number.POSITIVE_INFINITY, after, includeBody = false } = options;
  const listing: Listing = { exists: base.stat !== undefined, entries: [], more: false, damaged: 0 };
  const away = movedAway(paths, identityOf(base.stat));
  let waiting = after !== undefined;
  const onDamage = (): void => {
    listing.damaged++;
  };
  for (const message of messagesIn(base.source, { onDamage })) {
    if (waiting) {
      waiting = message.ref !== after;
      continue;
    }
    if (!where(message.fields) || (away.size > 0 && away.has(message.ref))) continue;
    if (holds && !holds(message.fields.get('re') ?? '', message.read().body)) continue;
    if (listing.entries.length >= limit) {
      listing.more = true;
      break;
    }
    listing.entries.push(entryOf(base.source, message, includeBody));
  }
  // Not an empty page: the caller would take it for the end of the mailbox and miss the rest.
  if (waiting && listing.exists) throw noSuchMessage(after!, paths.mailbox);
  return listing;
}

function entryOf(source: ByteSource, message: FoundMessage, whole: boolean): FoundEntry {
  const { ref, fields } = message;
  const { body } = whole ? message.read() : readHead(source, message.block);
  const entry = { ref, fields, status: statusOf(fields), preview: bodyPreview(body) };
  return whole ? { ...entry, body } : entry;
}

/** The newest message with that name and its body, from the mailbox or else the archive. */
export function findShown(paths: MailboxPaths, ref: string): ShownMessage | undefined {
  const here = findMessage(paths.mailbox, ref);
  if (here && !movedAway(paths, here.identity).has(ref)) return shown(ref, here.message, false);
  const there = findMessage(paths.archive, ref);
  return there && shown(ref, there.message, true);
}

function shown(ref: string, message: FlatMessage, archived: boolean): ShownMessage {
  return { ref, status: statusOf(message.fields), ...message, archived };
}

export function showMessage(paths: MailboxPaths, ref: string): ShownMessage {
  const found = findShown(paths, ref);
  if (!found) throw noSuchMessage(ref, paths.mailbox);
  return found;
}

function findMessage(file: string, ref: string): { message: FlatMessage; identity: string } | undefined {
  return readSnapshot(file, ({ source, stat }) => {
    const anonymous = ref.startsWith('~');
    for (const message of messagesIn(source)) {
      const same = anonymous ? message.id === undefined && message.ref === ref : message.id === ref;
      if (same) return { message: message.read(), identity: identityOf(stat) };
    }
    return undefined;
  });
}

export function noSuchMessage(ref: string, mailbox: string): Error {
  return notFound(`no message ${ref} in ${mailbox}`, {
    hint: `see its messages with: ${commandLine`rouse mailfile list --mailbox ${mailbox}`}`,
  });
}
