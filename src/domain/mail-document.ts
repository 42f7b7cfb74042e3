import { createHash } from 'node:crypto';
import { z } from 'zod';
import { documentAttachmentSchema } from './mail-attachment.ts';
import { headerLine } from './mail-check.ts';
import { principalSchema } from './mail-principal.ts';
import { isMessageId } from './mail-ref.ts';

/** The mailbox protocol this build speaks. */
export const MAIL_PROTOCOL_VERSION = 1;

export const MAX_BODY_BYTES = 8 * 1024 * 1024;
export const MAX_RECIPIENTS = 1000;
export const MAX_ATTACHMENTS = 100;

const messageIdSchema = z.string().refine(isMessageId, 'must be msg-YYYYMMDDTHHMMSSZ-<32 hex digits>');

export const bodySchema = z
  .string()
  .refine((text) => !text.includes('\u0000'), 'must not contain U+0000')
  .refine((text) => !/\p{Surrogate}/u.test(text), 'is not valid Unicode')
  .refine((text) => Buffer.byteLength(text) <= MAX_BODY_BYTES, `must be at most ${MAX_BODY_BYTES} bytes`);

const headerValueSchema: z.ZodType<unknown> = z.json();

/** One immutable message, as it is stored: written once, never changed, the same for everyone who got it. */
export const mailDocumentSchema = z
  .strictObject({
    protocol_version: z.literal(MAIL_PROTOCOL_VERSION),
    message_id: messageIdSchema,
    thread_id: messageIdSchema,
    in_reply_to: messageIdSchema.nullable(),
    references: z.array(messageIdSchema),
    created_at_utc: z
      .string()
      .refine(
        (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text)),
        'must be UTC whole seconds such as 2026-01-31T12:00:00Z',
      ),
    from: principalSchema,
    to: z.array(principalSchema).min(1, 'must name at least one recipient').max(MAX_RECIPIENTS),
    cc: z.array(principalSchema).max(MAX_RECIPIENTS),
    reply_to: z.array(principalSchema).max(MAX_RECIPIENTS),
    subject: headerLine(),
    attachments: z.array(documentAttachmentSchema).max(MAX_ATTACHMENTS),
    headers: z.record(headerLine(200), headerValueSchema),
    body: bodySchema,
  })
  .superRefine((message, context) => {
    const { in_reply_to: parent, references } = message;
    if (parent === null) {
      if (message.thread_id !== message.message_id) {
        context.addIssue({
          code: 'custom',
          path: ['thread_id'],
          message: 'must be its own message_id when it starts a thread',
        });
      }
      if (references.length > 0) {
        context.addIssue({
          code: 'custom',
          path: ['references'],
          message: 'must be empty when it starts a thread',
        });
      }
    } else if (references.at(-1) !== parent) {
      context.addIssue({ code: 'custom', path: ['references'], message: 'must end with in_reply_to' });
    }
    if (new Set(message.attachments.map((each) => each.attachment_id)).size < message.attachments.length) {
      context.addIssue({
        code: 'custom',
        path: ['attachments'],
        message: 'must not repeat an attachment_id',
      });
    }
  });
export type MailDocument = z.output<typeof mailDocumentSchema>;

/** Header that keeps the caller's idempotency key with the message, so that rebuilding the index keeps it too. */
export const IDEMPOTENCY_HEADER = 'x-rouse-idempotency-key';
export const ORIGIN_HEADER = 'x-houmao-origin';
export const REPLY_POLICY_HEADER = 'x-houmao-reply-policy';

/**
 * What makes two sends with one key "the same": everything the caller said, nothing the store added.
 * The date, the ids and where a copy was put are not part of it.
 */
export function contentDigest(message: MailDocument): string {
  const said = [
    message.from.address,
    message.to.map(({ address }) => address),
    message.cc.map(({ address }) => address),
    message.reply_to.map(({ address }) => address),
    message.subject,
    message.in_reply_to,
    message.headers[ORIGIN_HEADER] ?? null,
    message.headers[REPLY_POLICY_HEADER] ?? null,
    message.attachments.map(({ kind, path, sha256, label }) => [
      kind,
      kind === 'path_ref' ? path : null,
      sha256 ?? null,
      label ?? null,
    ]),
    message.body,
  ];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex');
}

/** Whose key it is: senders do not share keys, and a post into a mailbox is not that mailbox's own send. */
export function idempotencyScope(message: MailDocument): string {
  return message.headers[ORIGIN_HEADER] === 'operator'
    ? `post:${message.to[0]!.address}`
    : `send:${message.from.address}`;
}

/** Everyone who gets a copy: to, then cc, each address once. */
export function recipientsOf(message: MailDocument): MailDocument['to'] {
  const seen = new Set<string>();
  return [...message.to, ...message.cc].filter(({ address }) => !seen.has(address) && seen.add(address));
}
