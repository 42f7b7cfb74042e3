import { z } from 'zod';
import { newAttachmentSchema } from './mail-attachment.ts';
import { headerLine } from './mail-check.ts';
import { bodySchema, MAX_ATTACHMENTS, MAX_RECIPIENTS } from './mail-document.ts';

export const REPLY_POLICIES = ['none', 'operator_mailbox'] as const;
export type ReplyPolicy = (typeof REPLY_POLICIES)[number];

/** Chosen by the caller so that a retry is recognised: same key and same content is the same message. */
export const idempotencyKeySchema = headerLine(200);

const subjectSchema = z
  .string()
  .transform((text) => text.trim())
  // Shorter than a stored subject may be, so that "Re: " always fits in front.
  .pipe(headerLine(900));
const attachmentsSchema = z.array(newAttachmentSchema).max(MAX_ATTACHMENTS).default([]);
const addresses = z.array(z.string()).max(MAX_RECIPIENTS);

/** New mail from this mailbox to others. Addresses are checked by the store, which can name the nearest known one. */
export const mailDraftSchema = z.strictObject({
  to: addresses.min(1, 'must name at least one recipient'),
  cc: addresses.default([]),
  subject: subjectSchema,
  body_content: bodySchema,
  attachments: attachmentsSchema,
  idempotency_key: idempotencyKeySchema.nullish(),
});
export type MailDraft = z.output<typeof mailDraftSchema>;
export type MailDraftInput = z.input<typeof mailDraftSchema>;

/** A note of the operator into this mailbox. */
export const mailPostSchema = z.strictObject({
  subject: subjectSchema,
  body_content: bodySchema,
  reply_policy: z.enum(REPLY_POLICIES).default('operator_mailbox'),
  attachments: attachmentsSchema,
  idempotency_key: idempotencyKeySchema.nullish(),
});
export type MailPost = z.output<typeof mailPostSchema>;
export type MailPostInput = z.input<typeof mailPostSchema>;

export const mailReplySchema = z.strictObject({
  message_ref: z.string(),
  body_content: bodySchema,
  attachments: attachmentsSchema,
  idempotency_key: idempotencyKeySchema.nullish(),
});
export type MailReply = z.output<typeof mailReplySchema>;
export type MailReplyInput = z.input<typeof mailReplySchema>;

/** Flags to set or clear on messages of this mailbox; at least one. */
export const mailMarkSchema = z
  .strictObject({
    message_refs: z.array(z.string()),
    read: z.boolean().nullish(),
    answered: z.boolean().nullish(),
    archived: z.boolean().nullish(),
  })
  .refine(({ read, answered, archived }) => [read, answered, archived].some((flag) => flag != null), {
    message: 'must set at least one of read, answered, archived',
  })
  .refine(({ read, archived }) => !(archived === true && read === false), {
    message: 'archived mail is always read: archived=true cannot be combined with read=false',
  });
export type MailMark = z.output<typeof mailMarkSchema>;
export type MailMarkInput = z.input<typeof mailMarkSchema>;
