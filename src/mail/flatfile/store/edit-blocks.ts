import { crashPoint } from '../../../base/index.ts';
import type { ByteSource } from '../format/byte-source.ts';
import { requireValue, writeField } from '../format/envelope.ts';
import { type FoundMessage, messagesIn } from '../format/found-message.ts';
import type { FoundBlock } from '../format/scan.ts';
import type { MailboxParts } from './prepend.ts';
import { rewriteFile } from './rewrite.ts';
import type { Splice } from './splice.ts';

/** New values by key; undefined removes the field. */
export type Changes = ReadonlyMap<string, string | undefined>;

/** Called for each message of the file, top to bottom. Undefined leaves it unchanged. */
export type Editor = (message: FoundMessage) => Changes | undefined;

/**
 * Edits envelopes: one new version of the file with all changes, or none. Everything else keeps its bytes. `begin` runs
 * before each read of the file, which is read again if another program changes it. The caller holds the lock.
 */
export async function editBlocks(
  { paths, step = crashPoint }: MailboxParts,
  { name, begin, edit, end }: { name: string; begin?: () => void; edit: Editor; end?: () => void },
): Promise<boolean> {
  return rewriteFile(paths.mailbox, {
    step: (at) => step(`flatfile.${name}.${at}`),
    plan(base) {
      begin?.();
      const splices = [...edits(base.source, edit)];
      end?.();
      return splices;
    },
  });
}

function* edits(source: ByteSource, edit: Editor): Generator<Splice> {
  for (const message of messagesIn(source)) {
    const changes = edit(message);
    if (changes && changes.size > 0) yield spliceFields(source, message.block, changes);
  }
}

/** Sets these fields in the envelope, each once. Lines of other fields keep their bytes. */
export function spliceFields(source: ByteSource, block: FoundBlock, changes: Changes): Splice {
  const start = block.fields[0]!.start;
  const end = block.fields.at(-1)!.end;
  const lines: Buffer[] = [];
  const written = new Set<string>();
  const add = (key: string, value: string | undefined): void => {
    if (value === undefined || written.has(key)) return;
    written.add(key);
    const line = writeField(key, requireValue(value, key));
    lines.push(Buffer.from(block.eol === '\n' ? line : line.replace('\n', '\r\n')));
  };
  for (const field of block.fields) {
    if (changes.has(field.key)) add(field.key, changes.get(field.key));
    else lines.push(source.read(field.start, field.end - field.start));
  }
  for (const [key, value] of changes) add(key, value);
  return { start, end, insert: lines };
}
