import * as z from 'zod';
import { ATTACHMENT_ID, isMessageId, LIMITS, UNREGISTER_MODES } from '../../domain/index.ts';
import { MAIL_OPERATIONS } from '../../domain/schemas.ts';
import { about, bounded, count, integer, name, nextPage, oneLine, stamp, strict, text } from '../fields.ts';
import { NAME_PREFIX } from '../houmao/index.ts';
import { mailMessageView } from '../v1/mail-responses.ts';

const messageId = about(
  'Made by the sender; the same id is the same message, even if it is sent again.',
  z.string().max(100).refine(isMessageId, 'must be msg-YYYYMMDDTHHMMSSZ-<32 hex digits>'),
);
const sha256 = z
  .string()
  .max(64)
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hex digits');
const attachmentId = z.string().max(100).regex(ATTACHMENT_ID, 'is not an attachment id');

/** Size of each part of an attachment but the last. */
export const ATTACHMENT_PART_BYTES = 1024 * 1024;
const maxParts = Math.ceil(LIMITS.attachmentBytes.max / ATTACHMENT_PART_BYTES);
const part = about(`Parts of ${ATTACHMENT_PART_BYTES} bytes, from 0.`, count.max(maxParts));

/** A file sent with a message; its parts were uploaded before. */
const carried = strict({
  attachment_id: attachmentId,
  media_type: oneLine.max(200),
  sha256,
  size_bytes: count,
  label: oneLine.max(255).optional(),
});
export type CarriedAttachment = z.infer<typeof carried>;

const outgoing = {
  message_id: messageId,
  attachments: bounded('attachments', z.array(carried)).default([]),
};

export const mailboxBindBody = name(
  'FleetMailboxBindBody',
  strict({
    address: about(
      'Must be the name of the agent in the domain of the org, which is the default.',
      oneLine.max(320),
    ).optional(),
    principal_id: about(
      `Must be ${NAME_PREFIX}- and the name of the agent, which is the default.`,
      oneLine.max(200),
    ).optional(),
    display_name: about('Ignored: mail shows the name of the agent.', oneLine.max(200)).optional(),
    role: oneLine.max(200).optional(),
  }),
);
export const mailboxBound = name(
  'FleetMailboxBound',
  strict({
    address: z.string(),
    principal_id: z.string(),
    domain: about('The domain of the addresses of the org.', z.string()),
    reused: about('The agent had it before; false: it is new and empty.', z.boolean()),
  }),
);

export const mailboxUnbindBody = name(
  'FleetMailboxUnbindBody',
  strict({ mode: about('`purge` also deletes its mail.', z.enum(UNREGISTER_MODES)) }),
);
export const mailboxUnbound = name('FleetMailboxUnbound', strict({ address: z.string().nullable() }));

export const mailboxStatus = name(
  'FleetMailboxStatus',
  strict({
    address: z.string(),
    principal_id: z.string(),
    domain: z.string(),
    version: about('Differs after each change.', z.string()),
    open_count: count,
    unread_count: count,
  }),
);

export const mailboxWatchBody = name(
  'FleetMailboxWatchBody',
  strict({
    version: about('The known version.', text.max(100)),
    wait_seconds: about(
      'How long to hold the response until the version differs.',
      z.number().min(0).max(25),
    ).default(0),
  }),
);
export const mailboxWatched = name('FleetMailboxWatched', strict({ version: z.string() }));

export const mailboxListBody = name('FleetMailboxListBody', MAIL_OPERATIONS.list);
export const mailboxSearchBody = name('FleetMailboxSearchBody', MAIL_OPERATIONS.search);
export const mailboxOneBody = name('FleetMailboxOneBody', MAIL_OPERATIONS.peek);
export const mailboxSendBody = name(
  'FleetMailboxSendBody',
  MAIL_OPERATIONS.send.omit({ attachments: true, hold: true }).extend(outgoing),
);
export const mailboxPostBody = name(
  'FleetMailboxPostBody',
  MAIL_OPERATIONS.post.omit({ attachments: true }).extend(outgoing),
);
export const mailboxReplyBody = name(
  'FleetMailboxReplyBody',
  MAIL_OPERATIONS.reply.omit({ attachments: true }).extend(outgoing),
);
export const mailboxMarkBody = name('FleetMailboxMarkBody', MAIL_OPERATIONS.mark);
export const mailboxMoveBody = name('FleetMailboxMoveBody', MAIL_OPERATIONS.move);
export const mailboxArchiveBody = name('FleetMailboxArchiveBody', MAIL_OPERATIONS.archive);
export const mailboxTrailBody = name(
  'FleetMailboxTrailBody',
  strict({ message_ref: oneLine.max(200), most: integer.min(1).max(1000) }),
);

const counts = { message_count: count, open_count: count, unread_count: count };

/** Newest first. The counts are of this page. */
export const mailboxPage = name(
  'FleetMailboxPage',
  strict({ box: z.string().nullable(), messages: z.array(mailMessageView), ...counts, ...nextPage }),
);
export const mailboxCounts = name('FleetMailboxCounts', strict(counts));
export const mailboxOne = name('FleetMailboxOne', strict({ message: mailMessageView }));
export const mailboxSent = name(
  'FleetMailboxSent',
  strict({ message: mailMessageView, duplicate: about('The server had it before.', z.boolean()) }),
);
export const mailboxMany = name('FleetMailboxMany', strict({ messages: z.array(mailMessageView) }));
export const mailboxTrail = name(
  'FleetMailboxTrail',
  strict({ steps: z.array(strict({ created_at_utc: stamp, by: z.enum(['agent', 'person']) })) }),
);

export const attachmentPartBody = name(
  'FleetAttachmentPartBody',
  strict({
    sha256: about('Hash of the whole file.', sha256),
    part,
    content_base64: z
      .base64()
      .max(Math.ceil(ATTACHMENT_PART_BYTES / 3) * 4, `must hold at most ${ATTACHMENT_PART_BYTES} bytes`),
  }),
);
export const attachmentPartKept = name(
  'FleetAttachmentPartKept',
  strict({ sha256: z.string(), part: count }),
);
export const attachmentPartQuery = strict({ part: part.default(0) });
export const attachmentPart = name(
  'FleetAttachmentPart',
  strict({ part: count, parts: count, content_base64: z.string() }),
);

export type MailboxSendInput = z.input<typeof mailboxSendBody>;
