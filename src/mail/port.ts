import type { Emitter } from '../base/index.ts';
import type {
  MailDraft,
  MailMark,
  MailMessage,
  MailPost,
  MailQuery,
  MailReply,
  MailSearch,
} from '../domain/index.ts';
import type { FileAccess } from './file-access.ts';

/** What a transport can express. An operation it cannot answers with the error `unsupported`. */
export interface MailCapabilities {
  /** Notes of the operator into this mailbox. */
  post: boolean;
  cc: boolean;
  attachments: boolean;
  /** `sent` lists what this mailbox sent. */
  sent_box: boolean;
  /** `move` into boxes of any name, and back. */
  boxes: boolean;
  /** `read` is a flag of its own, kept by read(), mark() and reply(). */
  read_flag: boolean;
  /** `answered` can be set and cleared without touching `read`. */
  answered_flag: boolean;
  /** Archived mail can come back. */
  unarchive: boolean;
  search: boolean;
}

export interface MailboxStatus {
  transport: string;
  principal_id: string;
  address: string;
  /** Where it lives, for people: a directory or a file. */
  location: string;
  /** Messages of the inbox that are not archived, and how many of them are unread. */
  open_count: number;
  unread_count: number;
  /** Bad files or blocks that were put aside or skipped, never shown as mail. */
  set_aside_count: number;
  /** One line per trouble a person should look at. Empty when all is well. */
  warnings: string[];
}

/** Newest first. */
export interface MailPage {
  box: string | null;
  messages: MailMessage[];
  /** Of the messages in this page. */
  message_count: number;
  open_count: number;
  unread_count: number;
  /** Give it back as `cursor` for the next page; null when this was the last. */
  next_cursor: string | null;
  /** There is another page. */
  truncated: boolean;
}

/** How many messages match, wherever pages end. */
export interface MailCounts {
  message_count: number;
  open_count: number;
  unread_count: number;
}

export interface MailSent {
  /** Send, reply: the sender's view. Post: the recipient's. */
  message: MailMessage;
  /** The key and the content were known already: nothing was written, this is the message of the first time. */
  duplicate: boolean;
  /** The server that keeps the mailbox is away: it waits in the outbox, and is sent once. */
  held?: true;
}

/** A message that waits for the server that keeps the mailbox. */
export interface HeldMail {
  message_id: string;
  held_at_utc: string;
  to: string[];
  subject: string;
  attachment_count: number;
  /** `refused`: the server will not have it; `reason` says why. */
  state: 'waiting' | 'refused';
  reason: string | null;
}

/** Where mail waits on this host. */
export interface MailOutbox {
  /** Something was put here. */
  readonly held: Emitter<void>;
  /** Oldest first. */
  list(): Promise<HeldMail[]>;
  /** Takes one back; `conflict` when the server has it, or nobody can tell. */
  cancel(messageId: string): Promise<HeldMail>;
  /** Sends what waits, oldest first; throws what keeps it from that. */
  flush(): Promise<void>;
}

/** A message of a thread on the way back to its start. */
export interface MailStep {
  created_at_utc: string;
  by: 'agent' | 'person';
}

/** "Look again." A hint: it may come late, twice or for nothing; the mailbox is the truth. */
export interface MailHint {
  address: string;
}

/**
 * One agent's mailbox, whatever it is kept in.
 *
 * Every accepted change has reached the disk before the promise resolves, is seen wholly or not at all, and
 * survives kill -9. Operations on several refs happen all or none. Shapes carry the names that cross the wire.
 *
 * Errors: `invalid` wrong input; `not_found` unknown ref, or a recipient nobody registered (with the nearest
 * known); `forbidden` an attachment whose path the caller may not name; `conflict` a used idempotency key with other
 * content; `unsupported` the transport cannot express it;
 * `unavailable` the lock or database stayed busy; each says what to do and has changed nothing.
 */
export interface Mailbox {
  readonly transport: string;
  readonly address: string;
  readonly principal_id: string;
  readonly capabilities: Readonly<MailCapabilities>;

  status(): Promise<MailboxStatus>;
  /** A short token that changes whenever anything in this mailbox does. Cheap at any size. */
  version(): Promise<string>;

  list(query?: MailQuery): Promise<MailPage>;
  count(query?: MailQuery): Promise<MailCounts>;
  search(search: MailSearch): Promise<MailPage>;
  /** The message with its body; no flag changes. With `box`, it must be there. */
  peek(messageRef: string, options?: { box?: string | null }): Promise<MailMessage>;
  /** Like peek, and marks it read. */
  read(messageRef: string, options?: { box?: string | null }): Promise<MailMessage>;

  /**
   * The message and those it answers, newest first: replies of agents, at most so many, and the message of a person they
   * go back to. One lookup for each. Absent where nobody can tell who is an agent.
   */
  trail?(messageRef: string, most: number): Promise<MailStep[]>;

  /** `files`: which attachments may be read by their path. Default: none. */
  send(draft: MailDraft, files?: FileAccess): Promise<MailSent>;
  post(post: MailPost, files?: FileAccess): Promise<MailSent>;
  /** Delivers, and marks the parent read and answered, in one step. The parent must be in this mailbox. */
  reply(reply: MailReply, files?: FileAccess): Promise<MailSent>;

  mark(mark: MailMark): Promise<MailMessage[]>;
  move(messageRefs: string[], destinationBox: string): Promise<MailMessage[]>;
  archive(messageRefs: string[]): Promise<MailMessage[]>;

  /** Only where sent mail may have to wait. */
  readonly outbox?: MailOutbox | undefined;

  /** Calls back after changes, by whoever made them. Resolves once no later change can be missed; call the result to stop. */
  watch(onChange: (hint: MailHint) => void): Promise<() => void>;
  close(): Promise<void>;
}
