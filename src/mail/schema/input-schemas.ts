import { z } from 'zod';
import {
  ANSWERED_STATES,
  ARCHIVE,
  INBOX,
  type MailDraft,
  type MailMark,
  type MailPost,
  type MailQuery,
  type MailReply,
  type MailSearch,
  parseBoxName,
  parseUtcTime,
  READ_STATES,
  REPLY_POLICIES,
} from '../../domain/index.ts';
import { headerLine } from './check.ts';
import { bodySchema, MAX_ATTACHMENTS, MAX_RECIPIENTS } from './document-schema.ts';

const boxSchema = z.string().transform((text, context) => {
  try {
    return parseBoxName(text);
  } catch (error) {
    context.addIssue((error as Error).message.replace(/^box /, ''));
    return z.NEVER;
  }
});

const instantSchema = z
  .string()
  .refine(
    (text) => parseUtcTime(text) !== undefined,
    'must be an ISO-8601 time such as 2026-01-31T12:00:00Z, or a date',
  );

/** Archived mail is looked for where it is, unless a box is named. */
export const mailQuerySchema = z
  .strictObject({
    box: boxSchema.optional(),
    read_state: z.enum(READ_STATES).default('any'),
    answered_state: z.enum(ANSWERED_STATES).default('any'),
    archived: z.boolean().nullish(),
    limit: z.int().min(1).nullish(),
    since: instantSchema.nullish(),
    include_body: z.boolean().default(false),
    cursor: z.string().nullish(),
  })
  .transform(({ box, ...query }) => ({
    box: box ?? (query.archived ? ARCHIVE : INBOX),
    ...query,
  })) satisfies z.ZodType<MailQuery, MailQuery>;

export const mailSearchSchema = z.strictObject({
  text: z
    .string()
    .max(1000)
    .refine((text) => text.trim() !== '', 'must not be blank')
    .refine((text) => !text.includes('\u0000'), 'must not contain U+0000'),
  box: boxSchema.nullish(),
  limit: z.int().min(1).default(50),
  include_body: z.boolean().default(false),
}) satisfies z.ZodType<MailSearch, MailSearch>;

const newAttachmentSchema = z.strictObject({
  path: headerLine(4096).refine((path) => path.startsWith('/'), 'must be an absolute path'),
  label: headerLine(255).nullish(),
  copy: z.boolean().default(false),
});

const subjectSchema = z
  .string()
  .transform((text) => text.trim())
  // Shorter than a stored subject may be, so that "Re: " always fits in front.
  .pipe(headerLine(900));
const addresses = z.array(z.string()).max(MAX_RECIPIENTS);
const outgoing = {
  body_content: bodySchema,
  attachments: z.array(newAttachmentSchema).max(MAX_ATTACHMENTS).default([]),
  idempotency_key: headerLine(200).nullish(),
};

/** Addresses are checked by the store, which can name the nearest known one. */
export const mailDraftSchema = z.strictObject({
  to: addresses.min(1, 'must name at least one recipient'),
  cc: addresses.default([]),
  subject: subjectSchema,
  ...outgoing,
}) satisfies z.ZodType<MailDraft, MailDraft>;

export const mailPostSchema = z.strictObject({
  subject: subjectSchema,
  reply_policy: z.enum(REPLY_POLICIES).default('operator_mailbox'),
  ...outgoing,
}) satisfies z.ZodType<MailPost, MailPost>;

export const mailReplySchema = z.strictObject({
  message_ref: z.string(),
  ...outgoing,
}) satisfies z.ZodType<MailReply, MailReply>;

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
  }) satisfies z.ZodType<MailMark, MailMark>;
