import { z } from 'zod';
import { preview } from '../base/index.ts';
import { mailAttachmentSchema } from './mail-attachment.ts';
import { participantSchema } from './mail-principal.ts';

/** One message as one mailbox sees it: what callers get, with the names that cross the wire. */
export const mailMessageSchema = z.strictObject({
  message_ref: z.string(),
  thread_ref: z.string().nullable(),
  in_reply_to_ref: z.string().nullable(),
  created_at_utc: z.string(),
  subject: z.string(),
  read: z.boolean(),
  answered: z.boolean(),
  archived: z.boolean(),
  unread: z.boolean(),
  box: z.string(),
  body_preview: z.string(),
  /** Absent where only metadata was asked for. */
  body_text: z.string().optional(),
  sender: participantSchema,
  to: z.array(participantSchema),
  cc: z.array(participantSchema),
  reply_to: z.array(participantSchema),
  attachments: z.array(mailAttachmentSchema),
});
export type MailMessage = z.output<typeof mailMessageSchema>;

const PREVIEW_LENGTH = 240;

export function bodyPreview(body: string): string {
  // A long body is cut before it is folded: the preview never needs more than its head.
  return preview(body.slice(0, 8_192), PREVIEW_LENGTH);
}
