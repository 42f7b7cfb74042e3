import { preview, sha256 } from '../../base/index.ts';
import type { NotifierMode } from '../../domain/index.ts';
import type { Mailbox } from '../../mail/index.ts';
import type { PausedThread, ResumedThread } from './loops/find-loops.ts';
import type { MailLoops } from './loops/mail-loops.ts';

export interface EligibleMail {
  /** Mail that may wake: all open mail except in paused threads. */
  refs: string[];
  /** All open messages, including paused threads. */
  openCount: number;
  paused: PausedThread[];
  /** Threads that a person resumed, to be remembered. */
  resumed: ResumedThread[];
  /** SHA-256 of the sorted refs; null if there are none. */
  digest: string | null;
  /** Whom they are from, oldest first; empty if the transport cannot prove who wrote a message. */
  senders: string[];
  /** The oldest and the newest of them for the audit: few and short, because it is stored with every decision. */
  summary: Record<string, unknown>[];
}

const MAX_SUMMARISED = 10;
const MAX_SUBJECT_CHARS = 80;

/** Reads the mail that a wake in this mode would be about. An unchanged mailbox is not read again. */
export class EligibleReader {
  readonly #loops: MailLoops;
  #known: { mode: NotifierMode; version: string; mailbox: Mailbox; mail: EligibleMail } | undefined;
  #forgotten = 0;

  constructor(loops: MailLoops) {
    this.#loops = loops;
  }

  /** Something other than the mailbox changed what is eligible. */
  forget(): void {
    this.#forgotten++;
    this.#known = undefined;
  }

  async read(mailbox: Mailbox, mode: NotifierMode): Promise<EligibleMail> {
    const version = await mailbox.version();
    const known = this.#known;
    if (known && known.mode === mode && known.version === version && known.mailbox === mailbox)
      return known.mail;
    const forgotten = this.#forgotten;
    const mail = await readAll(mailbox, mode, this.#loops);
    // A result read before forget() is not cached.
    if (forgotten === this.#forgotten) this.#known = { mode, version, mailbox, mail };
    return mail;
  }
}

/** Counts the messages that no wake has announced to this agent process; recounts only when either side changed. */
export class Unannounced {
  #announced: (epoch: number) => ReadonlySet<string>;
  #known: { mail: EligibleMail; announced: ReadonlySet<string>; count: number } | undefined;

  constructor(announced: (epoch: number) => ReadonlySet<string>) {
    this.#announced = announced;
  }

  count(mail: EligibleMail, epoch: number): number {
    const announced = this.#announced(epoch);
    if (this.#known?.mail !== mail || this.#known.announced !== announced) {
      const count = mail.refs.filter((ref) => !announced.has(ref)).length;
      this.#known = { mail, announced, count };
    }
    return this.#known.count;
  }
}

async function readAll(mailbox: Mailbox, mode: NotifierMode, loops: MailLoops): Promise<EligibleMail> {
  const { messages } = await mailbox.list({
    box: 'inbox',
    read_state: mode === 'unread_only' ? 'unread' : 'any',
    answered_state: 'any',
    archived: false,
    limit: null,
  });
  const { paused, resumed } = await loops.find(mailbox, messages);
  const pausedRefs = new Set(paused.map(({ thread_ref }) => thread_ref));
  const oldestFirst = messages.toReversed().filter(({ thread_ref }) => !pausedRefs.has(thread_ref ?? ''));
  const refs = oldestFirst.map((message) => message.message_ref);
  return {
    refs,
    openCount: messages.length,
    paused,
    resumed,
    senders: mailbox.trail ? [...new Set(oldestFirst.map(({ sender }) => sender.address))] : [],
    digest: refs.length === 0 ? null : sha256(refs.toSorted().join('\n')),
    summary: endsOf(oldestFirst).map(({ message_ref, thread_ref, created_at_utc, subject }) => ({
      message_ref,
      thread_ref: thread_ref ?? null,
      created_at_utc,
      subject: preview(subject, MAX_SUBJECT_CHARS),
    })),
  };
}

function endsOf<T>(all: T[]): T[] {
  return all.length <= MAX_SUMMARISED ? all : [...all.slice(0, MAX_SUMMARISED - 1), all.at(-1)!];
}
