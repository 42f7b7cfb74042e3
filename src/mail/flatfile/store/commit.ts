import { conflict, crashPoint, type RouseError } from '../../../base/index.ts';
import { contentHash } from '../format/block.ts';
import type { FlatMessage } from '../format/envelope.ts';
import type { IdJournal, JournalEntry } from './id-journal.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { placeOnTop } from './place-on-top.ts';
import { fsyncDirectoryOf, rewriteFile } from './rewrite.ts';
import { currentIdentity, identityOf, openSnapshot, type Snapshot } from './snapshot.ts';
import { fsync } from './splice.ts';

/** The parts of one mailbox that a commit touches. */
export interface CommitParts {
  paths: MailboxPaths;
  journal: IdJournal;
  step?: ((name: string) => void) | undefined;
}

/** What became of one message; an error concerns it alone. */
export type Outcome = 'prepended' | 'duplicate' | RouseError;

interface Decision {
  outcomes: Outcome[];
  /** Oldest first. */
  accepted: FlatMessage[];
  entries: JournalEntry[];
  archive: string;
}

/**
 * Puts these messages on top of the mailbox: one new version of the file for all of them. The caller holds the lock and
 * has recovered what a crash left.
 */
export async function commitMessages(
  parts: CommitParts,
  messages: readonly FlatMessage[],
): Promise<Outcome[]> {
  const { paths, journal, step = crashPoint } = parts;
  const say = (name: string): void => step(`flatfile.prepend.${name}`);
  say('locked');
  let decision: Decision = { outcomes: [], accepted: [], entries: [], archive: '-' };
  const done = await rewriteFile(paths.mailbox, {
    step: say,
    async plan(base) {
      decision = await decide(parts, base, messages);
      return decision.accepted.length === 0 ? [] : [placeOnTop(paths.basename, base, decision.accepted)];
    },
  });
  if (done.changed) journal.append(decision.entries, done.identity, decision.archive);
  say('journaled');
  return decision.outcomes;
}

/**
 * New, known already, or known with other content: by id, whole values only. The journal covers mailbox and archive as
 * they are, so it holds the ids of the documented first 200 lines and all others.
 */
async function decide(
  { paths, journal }: CommitParts,
  base: Snapshot,
  messages: readonly FlatMessage[],
): Promise<Decision> {
  const archive = await syncJournal(paths, journal, base);
  const ids = messages.map(({ fields }) => fields.get('msg-id'));
  const wanted = [...new Set(ids.filter((id) => id !== undefined))];
  const known = journal.find(wanted);
  const decision: Decision = { outcomes: [], accepted: [], entries: [], archive };
  for (const [i, message] of messages.entries()) {
    const id = ids[i];
    const hash = id === undefined ? '' : contentHash(message);
    const before = id === undefined ? undefined : known.get(id);
    if (before !== undefined) {
      decision.outcomes.push(before === hash ? 'duplicate' : otherContent(id!, paths));
      continue;
    }
    if (id !== undefined) {
      known.set(id, hash);
      decision.entries.push({ id, hash });
    }
    decision.accepted.push(message);
    decision.outcomes.push('prepended');
  }
  return decision;
}

function otherContent(id: string, paths: MailboxPaths): RouseError {
  return conflict(`msg-id ${id} is known in ${paths.mailbox} with other content; nothing was written`, {
    hint: 'send a new message under a new msg-id, or retry with exactly the first content',
    facts: { msg_id: id },
  });
}

/** Makes sure the journal covers mailbox and archive as they are; answers which archive it covers. */
export async function syncJournal(paths: MailboxPaths, journal: IdJournal, base: Snapshot): Promise<string> {
  const mailbox = identityOf(base.stat);
  const covered = currentIdentity(paths.archive);
  if (journal.covers(mailbox, covered)) return covered;
  const archive = openSnapshot(paths.archive);
  try {
    const identity = identityOf(archive.stat);
    journal.rebuild({ source: base.source, identity: mailbox }, { source: archive.source, identity });
    // Somebody may have died between rename and fsync: what we are about to call known must be durable.
    for (const { fd, source } of [base, archive]) if (fd !== -1) await fsync(fd, source.size);
    await fsyncDirectoryOf(paths.mailbox);
    return identity;
  } finally {
    archive.close();
  }
}
