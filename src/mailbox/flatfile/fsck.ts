import { isUtf8 } from 'node:buffer';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { compactStamp, crashPoint } from '../../base/index.ts';
import { contentHash } from './format/block.ts';
import type { ByteSource } from './format/byte-source.ts';
import { STATUSES } from './format/envelope.ts';
import { FoundMessage } from './format/found-message.ts';
import { bomLength, type FoundBlock, type FoundDamage, scanBlocks } from './format/scan.ts';
import type { CommitParts } from './store/commit.ts';
import { spliceFields } from './store/edit-blocks.ts';
import type { HoldOptions } from './store/hold-lock.ts';
import { IdSet } from './store/id-set.ts';
import type { MailboxPaths } from './store/mailbox-path.ts';
import { rewriteFile } from './store/rewrite.ts';
import { openSnapshot } from './store/snapshot.ts';
import type { Splice } from './store/splice.ts';
import { createTemp } from './store/temp-file.ts';

export const FSCK_KINDS = [
  'unterminated',
  'duplicate_field',
  'duplicate_message',
  'in_both',
  'misplaced_header',
  'id_conflict',
  'unknown_status',
  'missing_field',
  'not_utf8',
] as const;
export type FsckKind = (typeof FSCK_KINDS)[number];

export interface FsckIssue {
  kind: FsckKind;
  line: number;
  msg_id: string | null;
  detail: string;
  /** --repair can put it right without losing a word. */
  repairable: boolean;
}

export interface FsckReport {
  mailbox: string;
  message_count: number;
  issues: FsckIssue[];
  /** Issues put right by this run. */
  repaired: number;
  /** Copy of the file from before the repair. */
  backup: string | null;
}

export interface RepairOptions extends HoldOptions {
  now?: Date | undefined;
}

interface Trouble {
  kind: FsckKind;
  at: number;
  id: string | null;
  detail: string;
  fix?: Splice[];
}

export function inspectMailbox(paths: MailboxPaths): FsckReport {
  const base = openSnapshot(paths.mailbox);
  try {
    return reportOf(paths, base.source, inspect(paths, base.source));
  } finally {
    base.close();
  }
}

/** Puts right what can be, after keeping a copy beside the lock. The caller holds the lock. */
export async function repairMailbox(
  parts: CommitParts,
  { now = new Date() }: RepairOptions,
): Promise<FsckReport> {
  const { paths, step = crashPoint } = parts;
  const before = inspectMailbox(paths);
  if (!before.issues.some(({ repairable }) => repairable)) return before;
  const backup = path.join(paths.side, `${paths.basename}.before-repair-${compactStamp(now)}`);
  fs.copyFileSync(paths.mailbox, backup);
  // One fix may bring another trouble to light (a closed envelope may be a duplicate), never without end.
  for (let round = 0; round < 5; round++) {
    const temp = createTemp(paths.mailbox);
    try {
      const done = await rewriteFile(paths.mailbox, temp, {
        step: (name) => step(`flatfile.repair.${name}`),
        plan: ({ source }) => apart(inspect(paths, source).troubles),
      });
      if (!done.changed) break;
    } finally {
      temp.discard();
    }
  }
  const after = inspectMailbox(paths);
  return { ...after, repaired: Math.max(0, before.issues.length - after.issues.length), backup };
}

/** Whole fixes that do not touch each other, in file order; the rest wait for the next round. */
function apart(troubles: readonly Trouble[]): Splice[] {
  const kept: Splice[] = [];
  const urgent = [...troubles].sort((a, b) => FSCK_KINDS.indexOf(a.kind) - FSCK_KINDS.indexOf(b.kind));
  for (const { fix = [] } of urgent) {
    if (!fix.some((one) => kept.some((other) => touch(one, other)))) kept.push(...fix);
  }
  return kept.sort((a, b) => a.start - b.start);
}

const touch = (a: Splice, b: Splice): boolean => (a.start < b.end && b.start < a.end) || a.start === b.start;

function inspect(paths: MailboxPaths, source: ByteSource): { troubles: Trouble[]; count: number } {
  const troubles: Trouble[] = [];
  const ids = new IdSet();
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
      if (message.id !== undefined && !ids.add(message.id)) repeated.add(message.id);
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
  const detail = another ? 'a second file header' : 'the file header stands below messages';
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
    const detail = `${[...twice].join(', ')} stands more than once; the last one counts`;
    yield { kind: 'duplicate_field', ...found, detail, fix: [spliceFields(source, block, changes)] };
  }
  const missing = ['to', 're', 'created', 'status'].filter((key) => !fields.get(key));
  if (missing.length > 0) yield { kind: 'missing_field', ...found, detail: `${missing.join(', ')} missing` };
  const status = fields.get('status');
  if (status && !STATUSES.some((known) => known === status)) {
    yield { kind: 'unknown_status', ...found, detail: `status ${JSON.stringify(status.slice(0, 80))}` };
  }
  if (!isUtf8(source.read(block.start, block.end - block.start))) {
    yield { kind: 'not_utf8', ...found, detail: 'bytes that are not UTF-8' };
  }
}

/** Lower copies of an id: the same content once more, or something else under a used id. */
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

/** Messages that stand in the archive as well count as archived. */
function* inArchiveToo(paths: MailboxPaths, source: ByteSource, ids: IdSet): Generator<Trouble> {
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
        yield { kind: 'in_both', at: block.start, id, detail: 'archived already', fix: [cut(block)] };
      } else yield { kind: 'id_conflict', at: block.start, id, detail: 'archived with other content' };
    }
  } finally {
    archive.close();
  }
}

function reportOf(
  paths: MailboxPaths,
  source: ByteSource,
  { troubles, count }: { troubles: Trouble[]; count: number },
): FsckReport {
  const line = lineCounter(source);
  const issues = troubles.map(({ kind, at, id, detail, fix }) => ({
    kind,
    line: line(at),
    msg_id: id,
    detail,
    repairable: fix !== undefined,
  }));
  return { mailbox: paths.mailbox, message_count: count, issues, repaired: 0, backup: null };
}

/** Line numbers for offsets that come in order. */
function lineCounter(source: ByteSource): (offset: number) => number {
  let [at, line] = [0, 1];
  return (offset) => {
    while (at < offset) {
      const piece = source.read(at, Math.min(1024 * 1024, offset - at));
      if (piece.length === 0) break;
      for (const byte of piece) if (byte === 0x0a) line++;
      at += piece.length;
    }
    return line;
  };
}
