import type { Channel, NeedKind } from '../../domain/index.ts';
import type { Target } from '../outbox/subscription.ts';

/** What a person gets to see. Without `text` it has nothing that an agent or a tool wrote. */
export interface Notice {
  /** The same for every try. */
  uid: string;
  kind: NeedKind;
  agent: string | null;
  /** `ana asks you something`. */
  title: string;
  /** What it is about; null unless the person wants it. */
  text: string | null;
  /** What settles it on the command line. */
  command: string | null;
  /** Where the page shows it. */
  href: string | null;
  sinceUtc: string;
  /** How often it was sent before. */
  sendings: number;
}

export interface Sending<C extends Channel = Channel> {
  target: Target<C>;
  notice: Notice;
  /** What an earlier sending of this notice returned. */
  receipt: string | null;
  /** Every notice that its person should see now, this one included unless it is being taken back. */
  onShow: () => Notice[];
  /** The private directory of the notices. */
  directory: string;
  now: Date;
  signal: AbortSignal;
}

/** One way to reach a person. Throws what went wrong, as a sentence without secrets. */
export interface Sender<C extends Channel = Channel> {
  /** Returns what it needs to take the notice back. */
  send(sending: Sending<C>): Promise<string | null>;
  takeBack(sending: Sending<C>): Promise<void>;
  /** Whether it could send now, in a few words. Sends nothing. */
  check(target: Target<C>, directory: string): Promise<string>;
}

/** The receiver does not exist any more: trying again is useless. */
export class TargetGone extends Error {}

/** Why sending failed, and when it may be tried again if the receiver named a time. */
export class SendingFailed extends Error {
  readonly retryAfterMs: number | undefined;
  /** The HTTP status, if there was one. */
  readonly status: number | undefined;

  constructor(message: string, { retryAfterMs, status }: { retryAfterMs?: number; status?: number } = {}) {
    super(message);
    this.retryAfterMs = retryAfterMs;
    this.status = status;
  }
}
