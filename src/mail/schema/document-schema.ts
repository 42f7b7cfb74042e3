import * as z from 'zod';
import {
  ATTACHMENT_ID,
  ATTACHMENT_KINDS,
  isAddress,
  isManagedPath,
  isMessageId,
  LIMITS,
  MAIL_PROTOCOL_VERSION,
  type MailDocument,
} from '../../domain/index.ts';
import { mailBody } from '../../domain/schemas.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import { headerLine } from './check.ts';

/** The highest limit that can be set, because the one in force when the message was written is unknown. */
const MAX_RECIPIENTS = LIMITS.recipients.max;
const MAX_ATTACHMENTS = LIMITS.attachments.max;

const principalSchema = z.strictObject({
  principal_id: headerLine(200),
  address: z.string().refine(isAddress, `must be a full mail address such as name@${LOCAL_DOMAIN}`),
  display_name: headerLine(200).optional(),
  manifest_path_hint: headerLine(4096).optional(),
  role: headerLine(200).optional(),
});

const attachmentSchema = z
  .strictObject({
    attachment_id: z.string().regex(ATTACHMENT_ID, 'is not an attachment id'),
    kind: z.enum(ATTACHMENT_KINDS),
    path: headerLine(4096),
    media_type: headerLine(200),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits')
      .optional(),
    size_bytes: z.int().min(0).optional(),
    label: headerLine(255).optional(),
  })
  .refine(({ kind, path }) => kind !== 'path_ref' || path.startsWith('/'), {
    path: ['path'],
    message: 'must be absolute for a path_ref',
  })
  .refine(({ kind, path }) => kind !== 'managed_copy' || isManagedPath(path), {
    path: ['path'],
    message: 'must lie in attachments/managed for a managed_copy',
  });

const messageIdSchema = z.string().refine(isMessageId, 'must be msg-YYYYMMDDTHHMMSSZ-<32 hex digits>');

/** A stored message, strictly: no unknown key, no other type, nothing that a header cannot hold. */
export const mailDocumentSchema: z.ZodType<MailDocument> = z
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
    attachments: z.array(attachmentSchema).max(MAX_ATTACHMENTS),
    headers: z.record(headerLine(200), z.json()),
    body: mailBody,
  })
  .superRefine((message, context) => {
    for (const [field, problem] of problemsBetweenFields(message)) {
      context.addIssue({ code: 'custom', path: [field], message: problem });
    }
  });

function problemsBetweenFields(message: MailDocument): [keyof MailDocument, string][] {
  const { in_reply_to: parent, references, attachments } = message;
  const problems: [keyof MailDocument, string][] = [];
  if (parent === null && message.thread_id !== message.message_id) {
    problems.push(['thread_id', 'must be its own message_id when it starts a thread']);
  }
  if (parent === null && references.length > 0) {
    problems.push(['references', 'must be empty when it starts a thread']);
  }
  if (parent !== null && references.at(-1) !== parent) {
    problems.push(['references', 'must end with in_reply_to']);
  }
  if (new Set(attachments.map((each) => each.attachment_id)).size < attachments.length) {
    problems.push(['attachments', 'must not repeat an attachment_id']);
  }
  return problems;
}
