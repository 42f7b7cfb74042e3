import { conflict, crashPoint } from '../../../base/index.ts';
import { contentHash } from '../format/block.ts';
import type { FlatMessage } from '../format/envelope.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { failure, type Outcome } from './outcome.ts';
import { placeOnTop } from './place-on-top.ts';
import { fsyncDirectoryOf, rewriteFile } from './rewrite.ts';
import { currentIdentity, identityOf, openSnapshot, type Snapshot } from './snapshot.ts';
import { fsync } from './splice.ts';
import type { Bundle, Spool } from './spool.ts';
import { createTemp } from './temp-file.ts';

/** The parts of one mailbox that a commit touches. */
export interface CommitParts {
  paths: MailboxPaths;
  journal: Journal;
  spool: Spool;
  step?: ((name: string) => void) | undefined;
}

export interface Committed {
  outcomes: Outcome[];
  /** How many other writers had messages in this batch. */
  others: number;
}

interface Decision {
  outcomes: Outcome[];
  /** Oldest first. */
  accepted: FlatMessage[];
  entries: JournalEntry[];
  archive: string;
}

/**
 * Puts these messages, and whatever waits in the spool, on top of the mailbox: one new version of the file for all
 * of them. The caller holds the lock and has recovered what a crash left. Answers for `own` only; the others' answers
 * are in the spool, written after the commit is durable.
 */
export async function commitMessages(parts: CommitParts, own: readonly FlatMessage[]): Promise<Committed> {
  const { paths, journal, spool, step = crashPoint } = parts;
  const say = (name: string): void => step(`flatfile.prepend.${name}`);
  say('locked');
  const temp = createTemp(paths.mailbox);
  let bundles: Bundle[] = [];
  let told = true;
  try {
    say('temp-made');
    bundles = spool.claim(temp.batch);
    say('claimed');
    const messages = [...own, ...bundles.flatMap((bundle) => bundle.messages)];
    let decision: Decision = { outcomes: [], accepted: [], entries: [], archive: '-' };
    const done = await rewriteFile(paths.mailbox, temp, {
      step: say,
      async plan(base) {
        decision = await decide(parts, base, messages);
        noteAll(spool, bundles, decision.outcomes.slice(own.length));
        return decision.accepted.length === 0 ? [] : [placeOnTop(paths.basename, base, decision.accepted)];
      },
    });
    if (done.changed) journal.append(decision.entries, done.identity, decision.archive);
    say('journaled');
    publishAll(spool, bundles);
    say('answered');
    spool.wake(bundles);
    return { outcomes: decision.outcomes.slice(0, own.length), others: bundles.length };
  } catch (error) {
    told = abandon(spool, bundles, failure(error));
    throw error;
  } finally {
    // While it exists, whoever takes the lock next knows that what is still claimed was not committed.
    if (told) temp.discard();
    else temp.close();
  }
}

/** The commit stands: an answer that cannot be given now is given by the next holder, from what was noted. */
function publishAll(spool: Spool, bundles: readonly Bundle[]): void {
  for (const bundle of bundles) {
    try {
      spool.publish(bundle);
    } catch {
      // Its slot is gone, with whoever waited; or the next holder finds it claimed and committed.
    }
  }
}

function noteAll(spool: Spool, bundles: readonly Bundle[], outcomes: readonly Outcome[]): void {
  let at = 0;
  for (const bundle of bundles) spool.note(bundle, outcomes.slice(at, (at += bundle.messages.length)));
}

/** Nothing was committed: everybody who waits is told why, or may try again. False when somebody is neither. */
function abandon(spool: Spool, bundles: readonly Bundle[], why: Outcome): boolean {
  let told = true;
  for (const bundle of bundles) {
    try {
      spool.note(
        bundle,
        bundle.messages.map(() => why),
      );
      spool.publish(bundle);
    } catch {
      try {
        spool.giveBack(bundle);
      } catch {
        told = false;
      }
    }
  }
  spool.wake(bundles);
  return told;
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
      decision.outcomes.push(before === hash ? { result: 'duplicate' } : failure(otherContent(id!, paths)));
      continue;
    }
    if (id !== undefined) {
      known.set(id, hash);
      decision.entries.push({ id, hash });
    }
    decision.accepted.push(message);
    decision.outcomes.push({ result: 'prepended' });
  }
  return decision;
}

function otherContent(id: string, paths: MailboxPaths): Error {
  return conflict(`msg-id ${id} is known in ${paths.mailbox} with other content; nothing was written`, {
    hint: 'send a new message under a new msg-id, or retry with exactly the first content',
    facts: { msg_id: id },
  });
}

/** Makes sure the journal covers mailbox and archive as they are; answers which archive it covers. */
export async function syncJournal(paths: MailboxPaths, journal: Journal, base: Snapshot): Promise<string> {
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
