import type { NewAttachment } from './mail-attachment.ts';

export const REPLY_POLICIES = ['none', 'operator_mailbox'] as const;
export type ReplyPolicy = (typeof REPLY_POLICIES)[number];

interface Outgoing {
  body_content: string;
  attachments?: NewAttachment[] | undefined;
  /** Chosen by the caller so that a retry is recognised: same key and same content is the same message. */
  idempotency_key?: string | null | undefined;
}

/** New mail from this mailbox to others, by full addresses. */
export interface MailDraft extends Outgoing {
  to: string[];
  cc?: string[] | undefined;
  subject: string;
}

/** A note of the operator into this mailbox. */
export interface MailPost extends Outgoing {
  subject: string;
  reply_policy?: ReplyPolicy | undefined;
}

export interface MailReply extends Outgoing {
  message_ref: string;
}

/** Flags to set or clear on messages of this mailbox; at least one. */
export interface MailMark {
  message_refs: string[];
  read?: boolean | null | undefined;
  answered?: boolean | null | undefined;
  archived?: boolean | null | undefined;
}
