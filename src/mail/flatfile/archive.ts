import { type Clock, invalid, systemClock } from '../../base/index.ts';
import { statusOf } from './format/envelope.ts';
import { type FoundMessage, refsIn } from './format/found-message.ts';
import { noSuchMessage } from './list.ts';
import { type HoldOptions, holdMailbox } from './store/hold-lock.ts';
import { locateMailbox, type MailboxPaths } from './store/mailbox-path.ts';
import { moveToArchive } from './store/move-blocks.ts';
import type { MailboxParts } from './store/prepend.ts';
import { recoverMailbox } from './store/recover.ts';
import { openSnapshot } from './store/snapshot.ts';
import { sweepTemps } from './store/temp-file.ts';

/** Which messages to move: the named ones, or all that meet every condition. */
export interface ArchiveChoice {
  refs?: readonly string[] | undefined;
  statuses?: readonly string[] | undefined;
  /** Only messages created before this instant. A message without a readable date stays. */
  before?: Date | undefined;
}

/** Moves them under the locks of both files. The locks are taken in path order, so that two movers never deadlock. */
export async function archiveMessages(
  parts: MailboxParts,
  choice: ArchiveChoice,
  options: HoldOptions & { clock?: Clock },
): Promise<string[]> {
  const { paths } = parts;
  if (/-archive(\.[^.]*)?$/.test(paths.basename)) throw invalid(`${paths.mailbox} is already an archive`);
  if (!choice.refs && !choice.statuses && !choice.before) {
    throw invalid('choose what to archive: message ids, statuses or an age');
  }
  const archive = locateMailbox(paths.archive, { privateRoot: paths.side });
  const [first, second] = paths.lock < archive.lock ? [paths, archive] : [archive, paths];
  const { clock = systemClock } = options;
  return holdMailbox(first, options, () =>
    holdMailbox(second, { ...options, compatLock: false }, async () => {
      await recoverMailbox(parts);
      sweepTemps(paths.archive, clock.now().getTime());
      if (choice.refs) requireKnown(paths, choice.refs);
      const moved = await moveToArchive(parts, fits(choice));
      return moved.map(({ ref }) => ref);
    }),
  );
}

/** Each ref must be in the mailbox or already in the archive, where nothing is left to do. */
function requireKnown(paths: MailboxPaths, refs: readonly string[]): void {
  const missing = new Set(refs);
  for (const file of [paths.mailbox, paths.archive]) {
    const snapshot = openSnapshot(file);
    try {
      for (const ref of refsIn(snapshot.source, missing)) missing.delete(ref);
    } finally {
      snapshot.close();
    }
  }
  const [ref] = missing;
  if (ref !== undefined) throw noSuchMessage(ref, paths.mailbox);
}

function fits({ refs, statuses, before }: ArchiveChoice): (message: FoundMessage) => boolean {
  const named = refs && new Set(refs);
  return (message) => {
    if (statuses && !statuses.includes(statusOf(message.fields))) return false;
    // A message without a readable date stays: every comparison with NaN is false.
    if (before && !(Date.parse(message.fields.get('created') ?? '') < before.getTime())) return false;
    return !named || named.has(message.ref);
  };
}
