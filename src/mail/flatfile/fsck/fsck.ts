import * as fs from 'node:fs';
import * as path from 'node:path';
import { compactStamp, crashPoint } from '../../../base/index.ts';
import type { ByteSource } from '../format/byte-source.ts';
import type { HoldOptions } from '../store/hold-lock.ts';
import type { MailboxPaths } from '../store/mailbox-path.ts';
import type { MailboxParts } from '../store/prepend.ts';
import { rewriteFile } from '../store/rewrite.ts';
import { openSnapshot } from '../store/snapshot.ts';
import type { Splice } from '../store/splice.ts';
import { FSCK_KINDS, type FsckKind, findTroubles, type Trouble } from './find-troubles.ts';

export interface FsckIssue {
  kind: FsckKind;
  line: number;
  msg_id: string | null;
  detail: string;
  /** --repair can fix it without losing a word. */
  repairable: boolean;
  /** Worth knowing; nothing is damaged. */
  warning: boolean;
}

export interface FsckReport {
  mailbox: string;
  message_count: number;
  issues: FsckIssue[];
  /** Issues that this run fixed. */
  repaired: number;
  /** A copy of the file from before the repair. */
  backup: string | null;
}

export interface RepairOptions extends HoldOptions {
  now?: Date | undefined;
}

export function inspectMailbox(paths: MailboxPaths): FsckReport {
  const base = openSnapshot(paths.mailbox);
  try {
    return reportOf(paths, base.source, findTroubles(paths, base.source));
  } finally {
    base.close();
  }
}

/** Repairs what it can, after saving a copy beside the lock. The caller holds the lock. */
export async function repairMailbox(
  parts: MailboxParts,
  { now = new Date() }: RepairOptions,
): Promise<FsckReport> {
  const { paths, step = crashPoint } = parts;
  const before = inspectMailbox(paths);
  if (!before.issues.some(({ repairable }) => repairable)) return before;
  const backup = path.join(paths.side, `${paths.basename}.before-repair-${compactStamp(now)}`);
  keepCopy(paths.mailbox, backup);
  let repaired = 0;
  // A fix may reveal another fault (a closed envelope may be a duplicate), but not without end.
  for (let round = 0; round < 5; round++) {
    let chosen: Repairable[] = [];
    const changed = await rewriteFile(paths.mailbox, {
      step: (name) => step(`flatfile.repair.${name}`),
      plan({ source }) {
        chosen = withoutOverlaps(findTroubles(paths, source).troubles);
        return chosen.flatMap(({ fix }) => fix).sort((a, b) => a.start - b.start);
      },
    });
    if (!changed) break;
    repaired += chosen.length;
  }
  return { ...inspectMailbox(paths), repaired, backup };
}

function keepCopy(file: string, copy: string): void {
  try {
    fs.copyFileSync(file, copy);
  } catch (error) {
    fs.rmSync(copy, { force: true });
    throw error;
  }
}

type Repairable = Trouble & { fix: Splice[] };

/** Faults whose fixes do not overlap, most urgent first. The rest wait for the next round. */
function withoutOverlaps(troubles: readonly Trouble[]): Repairable[] {
  const chosen: Repairable[] = [];
  const urgent = [...troubles].sort((a, b) => FSCK_KINDS.indexOf(a.kind) - FSCK_KINDS.indexOf(b.kind));
  for (const trouble of urgent) {
    const { fix } = trouble;
    if (fix === undefined) continue;
    if (chosen.some((other) => other.fix.some((one) => fix.some((two) => overlap(one, two))))) continue;
    chosen.push({ ...trouble, fix });
  }
  return chosen;
}

const overlap = (a: Splice, b: Splice): boolean =>
  (a.start < b.end && b.start < a.end) || a.start === b.start;

function reportOf(
  paths: MailboxPaths,
  source: ByteSource,
  { troubles, count }: { troubles: Trouble[]; count: number },
): FsckReport {
  const line = lineCounter(source);
  const issues = troubles.map(({ kind, at, id, detail, fix, warning = false }) => ({
    kind,
    line: line(at),
    msg_id: id,
    detail,
    repairable: fix !== undefined,
    warning,
  }));
  return { mailbox: paths.mailbox, message_count: count, issues, repaired: 0, backup: null };
}

/** Line numbers for ascending offsets. */
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
