import type { MailAttachment } from './mail-attachment.ts';
import type { MailParticipant } from './mail-principal.ts';

/** One message as one mailbox sees it, with the names that cross the wire. */
export interface MailMessage {
  message_ref: string;
  thread_ref: string | null;
  in_reply_to_ref: string | null;
  created_at_utc: string;
  subject: string;
  read: boolean;
  answered: boolean;
  archived: boolean;
  unread: boolean;
  box: string;
  body_preview: string;
  /** Absent if only metadata was requested. */
  body_text?: string;
  /** The sender waits for an answer. */
  expects_answer?: true;
  /** When it is needed. */
  answer_by?: string;
  sender: MailParticipant;
  to: MailParticipant[];
  cc: MailParticipant[];
  reply_to: MailParticipant[];
  attachments: MailAttachment[];
}

const PREVIEW_LENGTH = 240;

/** The first 240 characters, with white space folded. A longer body ends in `...`. */
export function bodyPreview(body: string): string {
  // Folding twice the length is enough for most bodies. One full of white space needs more.
  let flat = fold(body.slice(0, 2 * PREVIEW_LENGTH));
  if (flat.length <= PREVIEW_LENGTH && body.length > 2 * PREVIEW_LENGTH)
    flat = fold(body.slice(0, 20 * PREVIEW_LENGTH));
  if (flat.length <= PREVIEW_LENGTH) return flat;
  return `${flat.slice(0, PREVIEW_LENGTH - 3).replace(/[\ud800-\udbff]$/, '')}...`;
}

/** Folds white space to single spaces. Single spaces are skipped, because replacing each would cost most of the time. */
function fold(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, ' ').trim();
}
