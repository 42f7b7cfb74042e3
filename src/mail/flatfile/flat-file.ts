import { type Clock, conflict, newUuid, systemClock, utcSeconds } from '../../base/index.ts';
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
import { editBlocks } from './store/edit-blocks.ts';
import { type HoldOptions, holdMailbox, mailboxIdle } from './store/hold-lock.ts';
import {
  type LocateOptions,
  locateMailbox,
  type MailboxPaths,
  networkWarning,
} from './store/mailbox-path.ts';
import { type MailboxParts, prependMessage } from './store/prepend.ts';
import { recoverMailbox } from './store/recover.ts';
import { watchFiles } from './watch.ts';

export interface FlatFileOptions extends LocateOptions {
  clock?: Clock | undefined;
  /** Receives the name of each durable step; tests kill the process there. */
  step?: ((name: string) => void) | undefined;
}

export interface PrependOptions extends HoldOptions {
  /** Generates an id if the message has none. */
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
  /** Refuses unless this is the current status. */
  from?: string | undefined;
  by?: string | undefined;
  note?: string | undefined;
}

/**
 * One flat-file mailbox. Every change happens under its lock, in one step, and is durable when the promise resolves.
 * Reading takes no lock and always sees one whole version of the file.
 */
export class FlatFile {
  readonly paths: MailboxPaths;
  #clock: Clock;
  #warning: { text: string | undefined } | undefined;
  #parts: MailboxParts;

  constructor(mailbox: string, options: FlatFileOptions = {}) {
    this.paths = locateMailbox(mailbox, options);
    this.#clock = options.clock ?? systemClock;
    this.#parts = { paths: this.paths, step: options.step };
  }

  /** Puts a message on top, below the file header. The same id and content again is a duplicate, not a second copy. */
  async prepend(message: FlatMessage, options: PrependOptions = {}): Promise<Prepended> {
    const complete = checkMessage(this.#complete(message, options.generateId === true));
    const result = await this.#exclusively(options, () => prependMessage(this.#parts, complete));
    this.#warning ??= { text: networkWarning(this.paths) };
    const warning = this.#warning.text;
    return {
      result,
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

  /** The newest message with that id or `~` name, with its body. */
  show(ref: string): ShownMessage {
    return showMessage(this.paths, ref);
  }

  /** Like show, but returns undefined if there is none. */
  find(ref: string): ShownMessage | undefined {
    return findShown(this.paths, ref);
  }

  /** Sets the status of all these messages or of none. */
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

  /** Moves messages to the archive file beside this one. Returns the refs moved. */
  archive(choice: ArchiveChoice, options: HoldOptions = {}): Promise<string[]> {
    return archiveMessages(this.#parts, choice, { ...options, clock: this.#clock });
  }

  fsck(): FsckReport {
    return inspectMailbox(this.paths);
  }

  repair(options: RepairOptions = {}): Promise<FsckReport> {
    return this.#exclusively(options, () => repairMailbox(this.#parts, options));
  }

  /** Calls back after anyone changed the mailbox or its archive. A hint: read the file. */
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
