import type { Emitter } from '../base/index.ts';
import type {
  MailDraft,
  MailMark,
  MailMessage,
  MailPost,
  MailQuery,
  MailReply,
  MailSearch,
  WaitEdge,
} from '../domain/index.ts';
import type { FileAccess } from './file-access.ts';

/** What a transport can express. Other operations fail with `unsupported`. */
export interface MailCapabilities {
  /** The operator can post notes into this mailbox. */
  post: boolean;
  cc: boolean;
  attachments: boolean;
  /** The box `sent` lists what this mailbox sent. */
  sent_box: boolean;
  /** `move` into boxes of any name, and back. */
  boxes: boolean;
  /** `read` is a separate flag, set by read(), mark() and reply(). */
  read_flag: boolean;
  /** `answered` can be set and cleared without changing `read`. */
  answered_flag: boolean;
  /** Archived mail can be moved back. */
  unarchive: boolean;
  search: boolean;
}

export interface MailboxStatus {
  transport: string;
  principal_id: string;
  address: string;
  /** Where the mailbox is, for people: a directory or a file. */
  location: string;
  /** Unarchived messages of the inbox, and how many of them are unread. */
  open_count: number;
  unread_count: number;
  /** Bad files or blocks that were set aside or skipped. They are never shown as mail. */
  set_aside_count: number;
  /** One line per problem that a person should look at. Empty if all is well. */
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
  /** Pass it as `cursor` to get the next page; null on the last page. */
  next_cursor: string | null;
  /** There is another page. */
  truncated: boolean;
}

/** How many messages match, over all pages. */
export interface MailCounts {
  message_count: number;
  open_count: number;
  unread_count: number;
}

export interface MailSent {
  /** For send and reply, the sender's view. For post, the recipient's. */
  message: MailMessage;
  /** The same key and content were accepted before. Nothing was written; this is the first message. */
  duplicate: boolean;
  /** The server of the mailbox cannot be reached. The message waits in the outbox and is sent once. */
  held?: true;
}

/** A message that waits for the server of the mailbox. */
export interface HeldMail {
  message_id: string;
  held_at_utc: string;
  to: string[];
  subject: string;
  attachment_count: number;
  /** `refused`: the server rejected it for the given `reason`. */
  state: 'waiting' | 'refused';
  reason: string | null;
}

/** Mail that waits on this host. */
export interface MailOutbox {
  /** A message was added. */
  readonly held: Emitter<void>;
  /** Oldest first. */
  list(): Promise<HeldMail[]>;
  /** Cancels one message; `conflict` if the server has it, or may have it. */
  cancel(messageId: string): Promise<HeldMail>;
  /** Sends what waits, oldest first. Throws the reason if it cannot. */
  flush(): Promise<void>;
}

/** Who waits for whose answer, in all mailboxes beside this one. */
export interface MailWaits {
  /** The oldest first. */
  list(): Promise<WaitEdge[]>;
  /** Reports waits whose answer is late, each once. Returns when the next one will be late. */
  reportOverdue(): Promise<string | undefined>;
}

/** One message on the way back to the start of its thread. */
export interface MailStep {
  created_at_utc: string;
  by: 'agent' | 'person';
}

/** "Look again." A hint may be late, repeated or false. The mailbox is the truth. */
export interface MailHint {
  address: string;
}

/**
 * One agent's mailbox, independent of its transport.
 *
 * Every accepted change is on disk before the promise resolves, is visible as a whole or not at all, and survives
 * kill -9. An operation on several refs changes all of them or none. Shapes have the names that cross the wire.
 *
 * Errors: `invalid` wrong input; `not_found` unknown ref, or an unregistered recipient (with the nearest known one);
 * `forbidden` an attachment path that the caller may not read; `conflict` a used idempotency key with other content;
 * `unsupported` the transport cannot express it; `unavailable` the lock or database stayed busy. Each says what to do,
 * and nothing has changed.
 */
export interface Mailbox {
  readonly transport: string;
  readonly address: string;
  readonly principal_id: string;
  readonly capabilities: Readonly<MailCapabilities>;

  status(): Promise<MailboxStatus>;
  /** A short token that changes with every change of this mailbox. Cheap at any size. */
  version(): Promise<string>;

  list(query?: MailQuery): Promise<MailPage>;
  count(query?: MailQuery): Promise<MailCounts>;
  search(search: MailSearch): Promise<MailPage>;
  /** Returns the message with its body and changes no flag. With `box`, the message must be in that box. */
  peek(messageRef: string, options?: { box?: string | null }): Promise<MailMessage>;
  /** Like peek, but marks the message read. */
  read(messageRef: string, options?: { box?: string | null }): Promise<MailMessage>;

  /**
   * The message and those it replies to, newest first: at most `max` replies of agents, and the message of a person
   * that they lead back to. One lookup per message. Absent if the transport cannot know who is an agent.
   */
  trail?(messageRef: string, max: number): Promise<MailStep[]>;

  /** `files` says which attachments may be read by path. Default: none. */
  send(draft: MailDraft, files?: FileAccess): Promise<MailSent>;
  post(post: MailPost, files?: FileAccess): Promise<MailSent>;
  /** Delivers the reply and marks the parent read and answered in one step. The parent must be in this mailbox. */
  reply(reply: MailReply, files?: FileAccess): Promise<MailSent>;

  mark(mark: MailMark): Promise<MailMessage[]>;
  move(messageRefs: string[], destinationBox: string): Promise<MailMessage[]>;
  archive(messageRefs: string[]): Promise<MailMessage[]>;

  /** Absent if the transport does not know who waits. */
  readonly waits?: MailWaits | undefined;
  /** Present only if sent mail may have to wait. */
  readonly outbox?: MailOutbox | undefined;

  /**
   * Calls back after every change in any process. Resolves once no later change can be missed; call the result to
   * stop.
   */
  watch(onChange: (hint: MailHint) => void): Promise<() => void>;
  close(): Promise<void>;
}
