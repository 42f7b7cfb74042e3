import { type Clock, conflict, isRouseError, newUuid, systemClock, utcSeconds } from '../../base/index.ts';
import { type ArchiveChoice, archiveMessages } from './archive.ts';
import { checkMessage } from './format/block.ts';
import { type FlatMessage, requireMessageId, requireStatus, statusOf } from './format/envelope.ts';
import type { FoundMessage } from './format/found-message.ts';
import { type FsckReport, inspectMailbox, type RepairOptions, repairMailbox } from './fsck/fsck.ts';
import {
  findShown,
  type Listing,
  type ListOptions,
  listMessages,
  noSuchMessage,
  type ShownMessage,
  showMessage,
} from './list.ts';
import { type CommitParts, commitMessages } from './store/commit.ts';
import { editBlocks } from './store/edit-blocks.ts';
import { type HoldOptions, holdMailbox, mailboxIdle } from './store/hold-lock.ts';
import { IdJournal } from './store/id-journal.ts';
import {
  type LocateOptions,
  locateMailbox,
  type MailboxPaths,
  networkWarning,
} from './store/mailbox-path.ts';
import { recoverMailbox } from './store/recover.ts';
import { watchFiles } from './watch.ts';

export interface FlatFileOptions extends LocateOptions {
  clock?: Clock | undefined;
  /** Told the name of each durable step; tests kill the process there. */
  step?: ((name: string) => void) | undefined;
}

export interface PrependOptions extends HoldOptions {
  /** Give the message an id of its own when it has none. */
  generateId?: boolean | undefined;
}

export interface Prepended {
  result: 'prepended' | 'duplicate';
  mailbox: string;
  msg_id: string | null;
  warnings: string[];
}

export interface StatusChange {
  to: string;
  /** Refuse unless it has this status now. */
  from?: string | undefined;
  by?: string | undefined;
  note?: string | undefined;
}

/**
 * One flat-file mailbox. Every change is made under its lock, in one step, and is durable when the promise resolves;
 * reading takes no lock and always sees one whole version of the file.
 */
export class FlatFile {
  readonly paths: MailboxPaths;
  #clock: Clock;
  #warning: { text: string | undefined } | undefined;
  #parts: CommitParts;

  constructor(mailbox: string, options: FlatFileOptions = {}) {
    this.paths = locateMailbox(mailbox, options);
    this.#clock = options.clock ?? systemClock;
    const { paths } = this;
    this.#parts = { paths, journal: new IdJournal(paths), step: options.step };
  }

  /** Puts a message on top, below the file header. The same id and content again is a duplicate, not a second copy. */
  async prepend(message: FlatMessage, options: PrependOptions = {}): Promise<Prepended> {
    const complete = checkMessage(this.#complete(message, options.generateId === true));
    const [outcome] = await this.#exclusively(options, () => commitMessages(this.#parts, [complete]));
    if (isRouseError(outcome)) throw outcome;
    this.#warning ??= { text: networkWarning(this.paths) };
    const warning = this.#warning.text;
    return {
      result: outcome!,
      mailbox: this.paths.mailbox,
      msg_id: complete.fields.get('msg-id') ?? null,
      warnings: warning === undefined ? [] : [warning],
    };
  }

  /** Resolves when this process neither holds the lock nor waits for it. */
  async idle(): Promise<void> {
    await mailboxIdle(this.paths);
  }

  list(options: ListOptions = {}): Listing {
    return listMessages(this.paths, options);
  }

  /** The newest message of that id or `~` name, with its body. */
  show(ref: string): ShownMessage {
    return showMessage(this.paths, ref);
  }

  /** Like show, undefined when there is none. */
  find(ref: string): ShownMessage | undefined {
    return findShown(this.paths, ref);
  }

  /** Sets the status of these messages: all of them or none. */
  async setStatus(refs: readonly string[], change: StatusChange, options: HoldOptions = {}): Promise<void> {
    requireStatus(change.to);
    const wanted = new Set(refs.map((ref) => (ref.startsWith('~') ? ref : requireMessageId(ref))));
    let left = new Set(wanted);
    await this.#exclusively(options, () =>
      editBlocks(this.#parts, {
        name: 'set-status',
        begin: () => {
          left = new Set(wanted);
        },
        edit: (message) => (left.delete(message.ref) ? this.#statusFields(message, change) : undefined),
        end: () => this.#requireAll(left),
      }),
    );
  }

  /** Edits envelopes under the lock. */
  edit(plan: Parameters<typeof editBlocks>[1], options: HoldOptions = {}): Promise<boolean> {
    return this.#exclusively(options, () => editBlocks(this.#parts, plan));
  }

  /** Moves messages to the archive file beside this one. Answers the refs moved. */
  archive(choice: ArchiveChoice, options: HoldOptions = {}): Promise<string[]> {
    return archiveMessages(this.#parts, choice, { ...options, clock: this.#clock });
  }

  fsck(): FsckReport {
    return inspectMailbox(this.paths);
  }

  repair(options: RepairOptions = {}): Promise<FsckReport> {
    return this.#exclusively(options, () => repairMailbox(this.#parts, options));
  }

  /** Calls back after the mailbox or its archive changed, by whoever. A hint: look at the file. */
  watch(onChange: () => void): Promise<() => void> {
    return watchFiles([this.paths.mailbox, this.paths.archive], onChange);
  }

  #complete({ fields, body }: FlatMessage, generateId: boolean): FlatMessage {
    const complete = new Map(fields);
    if (!complete.has('created')) complete.set('created', utcSeconds(this.#clock.now()));
    if (!complete.has('status')) complete.set('status', 'pending');
    if (generateId && !complete.has('msg-id')) complete.set('msg-id', `msg-${newUuid()}`);
    return { fields: complete, body };
  }

  #statusFields({ fields, ref }: FoundMessage, { to, from, by, note }: StatusChange): Map<string, string> {
    const now = statusOf(fields);
    if (from !== undefined && now !== from) {
      throw conflict(`message ${ref} has status ${now}, not ${from}; nothing was changed`);
    }
    const changes = new Map([['status', to]]);
    if (to === 'actioned') changes.set('actioned_at', utcSeconds(this.#clock.now()));
    if (by !== undefined) changes.set('actioned_by', by);
    if (note !== undefined) changes.set('actioned_note', note);
    return changes;
  }

  #requireAll(missing: ReadonlySet<string>): void {
    const [ref] = missing;
    if (ref !== undefined) throw noSuchMessage(ref, this.paths.mailbox);
  }

  #exclusively<T>(options: HoldOptions, work: () => Promise<T>): Promise<T> {
    return holdMailbox(this.paths, { ...options, clock: this.#clock }, async () => {
      await recoverMailbox(this.#parts);
      return work();
    });
  }
}
