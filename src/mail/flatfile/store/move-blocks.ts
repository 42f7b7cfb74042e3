import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  commandLine,
  conflict,
  crashPoint,
  errnoOf,
  isRouseError,
  RouseError,
  readIfExists,
  writeFileAtomic,
} from '../../../base/index.ts';
import type { ByteSource } from '../format/byte-source.ts';
import { type FoundMessage, messagesIn, refsIn } from '../format/found-message.ts';
import type { FoundBlock } from '../format/scan.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { placeBlocks } from './place-on-top.ts';
import type { MailboxParts } from './prepend.ts';
import { rewriteFile } from './rewrite.ts';
import { openToUsers, sideMode } from './side-directory.ts';
import { identityOf, openSnapshot } from './snapshot.ts';
import type { Part, Splice } from './splice.ts';

/** The messages being moved to the archive, and the version of the mailbox they were chosen in. */
interface Move {
  refs: string[];
  base: string;
}

/**
 * Moves the chosen messages to the archive file: noted, added there, removed here. After a crash in between the note is
 * left; until the next writer finishes the move, a message that is in both files counts as archived. The caller holds the
 * locks of both. Returns the messages moved, newest first; their bodies can no longer be read.
 */
export async function moveToArchive(
  parts: MailboxParts,
  chosen: (message: FoundMessage) => boolean,
): Promise<FoundMessage[]> {
  const { paths, step = crashPoint } = parts;
  const report = (name: string): void => step(`flatfile.archive.${name}`);
  const base = openSnapshot(paths.mailbox);
  try {
    const found: FoundMessage[] = [];
    for (const message of messagesIn(base.source)) if (chosen(message)) found.push(message);
    if (found.length === 0) return [];
    const move: Move = { refs: found.map(({ ref }) => ref), base: identityOf(base.stat) };
    writeNote(paths, move);
    report('noted');
    await addToArchive(paths, { fd: base.fd, found, report });
    report('added');
    await removeMoved(paths, move, report).catch((error) => {
      throw halfMoved(error, paths);
    });
    report('removed');
    fs.rmSync(paths.moving, { force: true });
    report('done');
    return found;
  } finally {
    base.close();
  }
}

/** Noted and added: they count as archived, and the next writer removes them from the mailbox. */
function halfMoved(error: unknown, { mailbox, archive }: MailboxPaths): unknown {
  if (!isRouseError(error)) return error;
  const { code, message, facts } = error;
  return new RouseError(code, `archived in ${archive}, but not removed from ${mailbox} yet: ${message}`, {
    hint: 'they count as archived; the next change of the mailbox removes them',
    facts,
    cause: error,
  });
}

function writeNote(paths: MailboxPaths, move: Move): void {
  writeFileAtomic(paths.moving, JSON.stringify(move), { mode: sideMode(paths) });
  const fd = fs.openSync(paths.moving, 'r');
  openToUsers(paths, fd);
  fs.closeSync(fd);
}

async function addToArchive(
  paths: MailboxPaths,
  { fd, found, report }: { fd: number; found: FoundMessage[]; report: (name: string) => void },
): Promise<void> {
  await rewriteFile(paths.archive, {
    step: (name) => report(`archive-${name}`),
    plan(base) {
      const there = refsIn(base.source, new Set(found.map(({ ref }) => ref)));
      const blocks = found.filter(({ ref }) => !there.has(ref)).flatMap(({ block }) => rawBlock(fd, block));
      return blocks.length === 0 ? [] : [placeBlocks(path.basename(paths.archive), base, blocks)];
    },
  });
}

/** The bytes of a block, with the blank line that must follow it. */
function rawBlock(fd: number, { start, end }: FoundBlock): Part[] {
  const tail = Buffer.alloc(Math.min(2, end - start));
  fs.readSync(fd, tail, 0, tail.length, end - tail.length);
  const text = tail.toString('latin1');
  return [{ fd, start, end }, Buffer.from(text === '\n\n' ? '' : text.endsWith('\n') ? '\n' : '\n\n')];
}

async function removeMoved(paths: MailboxPaths, move: Move, report: (name: string) => void): Promise<void> {
  await rewriteFile(paths.mailbox, {
    step: (name) => report(`mailbox-${name}`),
    plan: (base) => removals(paths, move, { source: base.source, identity: identityOf(base.stat) }),
  });
}

/** The blocks to cut: noted, and already in the archive. */
function removals(
  paths: MailboxPaths,
  move: Move,
  { source, identity }: { source: ByteSource; identity: string },
): Splice[] {
  const gone = archivedOf(paths, move, identity);
  const cuts: Splice[] = [];
  if (gone.size === 0) return cuts;
  const noted = [...move.refs];
  for (const { ref, block } of messagesIn(source)) {
    const at = gone.has(ref) ? noted.indexOf(ref) : -1;
    if (at === -1) continue;
    noted.splice(at, 1);
    cuts.push({ start: block.start, end: block.end, insert: [] });
  }
  return cuts;
}

/**
 * The noted messages that the archive holds. A message without an id cannot be distinguished from an equal one in another
 * version of the file, so there it is left alone.
 */
function archivedOf(paths: MailboxPaths, { refs, base }: Move, now: string): Set<string> {
  const wanted = new Set(refs.filter((ref) => base === now || !ref.startsWith('~')));
  const archive = openSnapshot(paths.archive);
  try {
    return refsIn(archive.source, wanted);
  } finally {
    archive.close();
  }
}

/**
 * For readers: refs that are in both files because a move was interrupted; they count as archived. A user who may read the
 * mailbox, but not the files beside its lock, sees them in both.
 */
export function movedAway(paths: MailboxPaths, identity: string): ReadonlySet<string> {
  try {
    const move = readMove(paths);
    return move ? archivedOf(paths, move, identity) : new Set();
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return new Set();
    throw error;
  }
}

/** For writers that hold the lock: finishes a move that was interrupted. */
export async function finishMove({ paths, step = crashPoint }: MailboxParts): Promise<void> {
  const move = readMove(paths);
  if (!move) return;
  await removeMoved(paths, move, (name) => step(`flatfile.archive.finish-${name}`));
  fs.rmSync(paths.moving, { force: true });
}

function readMove(paths: MailboxPaths): Move | undefined {
  const text = readIfExists(paths.moving);
  if (text === undefined) return undefined;
  try {
    const { refs, base } = JSON.parse(text) as Partial<Move>;
    if (Array.isArray(refs) && refs.every((ref) => typeof ref === 'string') && typeof base === 'string') {
      return { refs, base };
    }
  } catch (error) {
    if (isRouseError(error) || errnoOf(error)) throw error;
  }
  throw conflict(`${paths.moving} is damaged`, {
    hint: `check whether messages are in both mailbox and archive ("${commandLine`rouse mailfile fsck --mailbox ${paths.mailbox}`}"), then remove that file`,
  });
}
