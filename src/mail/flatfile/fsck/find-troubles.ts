import { isUtf8 } from 'node:buffer';
import { contentHash } from '../format/block.ts';
import type { ByteSource } from '../format/byte-source.ts';
import { STATUSES, statusOf } from '../format/envelope.ts';
import { FoundMessage } from '../format/found-message.ts';
import { bomLength, type FoundBlock, type FoundDamage, scanBlocks } from '../format/scan.ts';
import { spliceFields } from '../store/edit-blocks.ts';
import type { MailboxPaths } from '../store/mailbox-path.ts';
import { openSnapshot } from '../store/snapshot.ts';
import type { Splice } from '../store/splice.ts';

/** The first six can be repaired without losing a word, in this order. */
export const FSCK_KINDS = [
  'unterminated',
  'duplicate_field',
  'duplicate_message',
  'in_both',
  'misplaced_header',
  'missing_status',
  'id_conflict',
  'unknown_status',
  'missing_field',
  'missing_date',
  'not_utf8',
] as const;
export type FsckKind = (typeof FSCK_KINDS)[number];

/** A fault in a mailbox file, with the change that repairs it if there is one. */
export interface Trouble {
  kind: FsckKind;
  at: number;
  id: string | null;
  detail: string;
  /** Worth knowing; nothing is damaged. */
  warning?: boolean;
  fix?: Splice[];
}

/** Finds every fault in a mailbox file, in file order, and counts its messages. */
export function findTroubles(
  paths: MailboxPaths,
  source: ByteSource,
): { troubles: Trouble[]; count: number } {
  const troubles: Trouble[] = [];
  const ids = new Set<string>();
  const repeated = new Set<string>();
  let count = 0;
  let first: FoundBlock | undefined;
  let header = false;
  const onDamage = (damage: FoundDamage): void => void troubles.push(unterminated(source, damage));
  for (const block of scanBlocks(source, { onDamage })) {
    if (block.kind === 'header') {
      if (first) troubles.push(misplaced(source, block, header));
      header = true;
    } else {
      count++;
      const message = new FoundMessage(source, block);
      troubles.push(...envelopeTroubles(source, message));
      if (message.id !== undefined) (ids.has(message.id) ? repeated : ids).add(message.id);
    }
    first ??= block;
  }
  troubles.push(...copies(source, repeated), ...inArchiveToo(paths, source, ids));
  return { troubles: troubles.sort((a, b) => a.at - b.at), count };
}

function unterminated(source: ByteSource, { start, end }: FoundDamage): Trouble {
  const joint = source.read(end - 1, 1).toString() === '\n' ? '' : '\n';
  const fix = [{ start: end, end, insert: [Buffer.from(`${joint}---\n`)] }];
  return { kind: 'unterminated', at: start, id: null, detail: 'the envelope has no closing ---', fix };
}

function misplaced(source: ByteSource, block: FoundBlock, another: boolean): Trouble {
  const detail = another ? 'a second file header' : 'the file header is below messages';
  const trouble: Trouble = { kind: 'misplaced_header', at: block.start, id: null, detail };
  if (another) return trouble;
  const top = bomLength(source);
  const text = source.read(block.start, block.end - block.start);
  return {
    ...trouble,
    fix: [
      { start: top, end: top, insert: [text] },
      { start: block.start, end: block.end, insert: [] },
    ],
  };
}

function* envelopeTroubles(source: ByteSource, { block, fields, id }: FoundMessage): Generator<Trouble> {
  const found = { at: block.start, id: id ?? null };
  const keys = block.fields.map(({ key }) => key);
  const twice = new Set(keys.filter((key, i) => keys.indexOf(key) !== i));
  if (twice.size > 0) {
    const changes = new Map([...twice].map((key) => [key, fields.get(key)]));
    const detail = `${[...twice].join(', ')} occurs more than once; the last one counts`;
    yield { kind: 'duplicate_field', ...found, detail, fix: [spliceFields(source, block, changes)] };
  }
  const missing = ['to', 're'].filter((key) => !fields.get(key));
  if (missing.length > 0) yield { kind: 'missing_field', ...found, detail: `${missing.join(', ')} missing` };
  if (!fields.get('status')) {
    const fix = [spliceFields(source, block, new Map([['status', 'pending']]))];
    yield { kind: 'missing_status', ...found, detail: 'status missing: it counts as pending', fix };
  }
  if (!fields.get('created')) {
    yield { kind: 'missing_date', ...found, detail: 'created missing: its date is unknown', warning: true };
  }
  const status = statusOf(fields);
  if (!STATUSES.some((known) => known === status)) {
    yield { kind: 'unknown_status', ...found, detail: `status ${JSON.stringify(status.slice(0, 80))}` };
  }
  if (!isUtf8(source.read(block.start, block.end - block.start))) {
    yield { kind: 'not_utf8', ...found, detail: 'bytes that are not UTF-8' };
  }
}

/** Lower copies of an id: the same content again, or other content under a used id. */
function* copies(source: ByteSource, repeated: ReadonlySet<string>): Generator<Trouble> {
  if (repeated.size === 0) return;
  const seen = new Map<string, string>();
  for (const block of scanBlocks(source)) {
    if (block.kind !== 'message') continue;
    const message = new FoundMessage(source, block);
    const { id } = message;
    if (id === undefined || !repeated.has(id)) continue;
    const hash = contentHash(message.read());
    const above = seen.get(id);
    if (above === undefined) seen.set(id, hash);
    else if (above === hash) {
      yield { kind: 'duplicate_message', at: block.start, id, detail: 'a second copy', fix: [cut(block)] };
    } else yield { kind: 'id_conflict', at: block.start, id, detail: 'the same msg-id with other content' };
  }
}

const cut = ({ start, end }: FoundBlock): Splice => ({ start, end, insert: [] });

/** Messages that are also in the archive count as archived. */
function* inArchiveToo(
  paths: MailboxPaths,
  source: ByteSource,
  ids: ReadonlySet<string>,
): Generator<Trouble> {
  const archive = openSnapshot(paths.archive);
  try {
    const both = new Map<string, string>();
    for (const block of scanBlocks(archive.source)) {
      const message = new FoundMessage(archive.source, block);
      if (message.id !== undefined && ids.has(message.id)) both.set(message.id, contentHash(message.read()));
    }
    if (both.size === 0) return;
    for (const block of scanBlocks(source)) {
      const message = new FoundMessage(source, block);
      const { id } = message;
      if (id === undefined || !both.has(id)) continue;
      if (both.get(id) === contentHash(message.read())) {
        yield { kind: 'in_both', at: block.start, id, detail: 'already archived', fix: [cut(block)] };
      } else yield { kind: 'id_conflict', at: block.start, id, detail: 'archived with other content' };
    }
  } finally {
    archive.close();
  }
}
