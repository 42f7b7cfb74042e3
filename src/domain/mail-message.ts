import { preview } from '../base/index.ts';
import type { MailAttachment } from './mail-attachment.ts';
import type { MailParticipant } from './mail-principal.ts';

/** One message as one mailbox sees it: what callers get, with the names that cross the wire. */
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
  /** Absent where only metadata was asked for. */
  body_text?: string;
  sender: MailParticipant;
  to: MailParticipant[];
  cc: MailParticipant[];
  reply_to: MailParticipant[];
  attachments: MailAttachment[];
}

const PREVIEW_LENGTH = 240;

export function bodyPreview(body: string): string {
  // A long body is cut before it is folded: the preview never needs more than its head.
  return preview(body.slice(0, 8_192), PREVIEW_LENGTH);
}
