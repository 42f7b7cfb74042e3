import * as fs from 'node:fs';
import * as path from 'node:path';
import {
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
import type { CommitParts } from './commit.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { placeBlocks } from './place-on-top.ts';
import { rewriteFile } from './rewrite.ts';
import { openToUsers, sideMode } from './side-directory.ts';
import { currentIdentity, identityOf, openSnapshot } from './snapshot.ts';
import type { Part, Splice } from './splice.ts';

/** What is on its way into the archive, and from which state of the mailbox. */
interface Move {
  refs: string[];
  base: string;
}

/**
 * Moves the chosen messages to the archive file: noted, added there, removed here. A crash between leaves the note;
 * until the next writer finishes the move, a message that is in both counts as archived. The caller holds the locks
 * of both files. Answers the messages moved, newest first; their bodies can no longer be read.
 */
export async function moveToArchive(
  parts: CommitParts,
  chosen: (message: FoundMessage) => boolean,
): Promise<FoundMessage[]> {
  const { paths, journal, step = crashPoint } = parts;
  const say = (name: string): void => step(`flatfile.archive.${name}`);
  const base = openSnapshot(paths.mailbox);
  try {
    const found: FoundMessage[] = [];
    for (const message of messagesIn(base.source)) if (chosen(message)) found.push(message);
    if (found.length === 0) return [];
    const covered = journal.covers(identityOf(base.stat), currentIdentity(paths.archive));
    const move: Move = { refs: found.map(({ ref }) => ref), base: identityOf(base.stat) };
    writeNote(paths, move);
    say('noted');
    const archive = await addToArchive(paths, { fd: base.fd, found, say });
    say('added');
    const mailbox = await removeMoved(paths, move, say).catch((error) => {
      throw halfMoved(error, paths);
    });
    say('removed');
    if (covered) journal.append([], mailbox, archive);
    fs.rmSync(paths.moving, { force: true });
    say('done');
    return found;
  } finally {
    base.close();
  }
}

/** Noted and added: they count as archived, and whoever writes next removes them here. */
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
  { fd, found, say }: { fd: number; found: FoundMessage[]; say: (name: string) => void },
): Promise<string> {
  const { identity } = await rewriteFile(paths.archive, {
    step: (name) => say(`archive-${name}`),
    plan(base) {
      const there = refsIn(base.source, new Set(found.map(({ ref }) => ref)));
      const blocks = found.filter(({ ref }) => !there.has(ref)).flatMap(({ block }) => rawBlock(fd, block));
      return blocks.length === 0 ? [] : [placeBlocks(path.basename(paths.archive), base, blocks)];
    },
  });
  return identity;
}

/** The bytes of a block as they are, with the blank line that must follow it. */
function rawBlock(fd: number, { start, end }: FoundBlock): Part[] {
  const tail = Buffer.alloc(Math.min(2, end - start));
  fs.readSync(fd, tail, 0, tail.length, end - tail.length);
  const text = tail.toString('latin1');
  return [{ fd, start, end }, Buffer.from(text === '\n\n' ? '' : text.endsWith('\n') ? '\n' : '\n\n')];
}

async function removeMoved(paths: MailboxPaths, move: Move, say: (name: string) => void): Promise<string> {
  const { identity } = await rewriteFile(paths.mailbox, {
    step: (name) => say(`mailbox-${name}`),
    plan: (base) => removals(paths, move, { source: base.source, identity: identityOf(base.stat) }),
  });
  return identity;
}

/** The blocks to cut: noted, and in the archive by now. */
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
 * The noted messages that the archive holds. A message without an id is told from its twin only by the state of the
 * file it was noted in; in any other state it is left alone.
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
 * Readers: refs that are in both files because a move was cut short; they count as archived. Whoever may read the
 * mailbox but not what lies beside its lock sees them in both.
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

/** Writers, lock in hand: ends a move that was cut short. */
export async function finishMove({ paths, step = crashPoint }: CommitParts): Promise<void> {
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
    hint: 'check whether messages are in both mailbox and archive (rouse mailfile fsck), then remove that file',
  });
}
