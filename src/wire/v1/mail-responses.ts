import * as z from 'zod';
import { transportNames } from '../../mail/transports.ts';
import { about, count, name, nextPage, stamp, strict } from '../fields.ts';
import { allOurs, ours } from '../source/ours.ts';

const participant = name(
  'MailParticipant',
  strict({ address: z.string(), display_name: z.string().nullish(), principal_id: z.string().nullish() }),
);

const attachment = name(
  'MailAttachment',
  strict({
    attachment_id: z.string(),
    kind: z.enum(['path_ref', 'managed_copy', 'transport_owned']),
    media_type: z.string(),
    locator: z.string().nullish(),
    size_bytes: count.nullish(),
    sha256: z.string().nullish(),
    label: z.string().nullish(),
  }),
);

export const mailMessageView = name(
  'MailMessage',
  strict({
    message_ref: about('Opaque; pass it back unchanged.', z.string()),
    thread_ref: z.string().nullish(),
    in_reply_to_ref: ours(z.string().nullish()),
    created_at_utc: stamp,
    subject: z.string(),
    read: z.boolean().nullish(),
    answered: z.boolean().nullish(),
    archived: z.boolean().nullish(),
    unread: z.boolean().nullish(),
    box: z.string().nullish(),
    body_preview: about('The body on one line, at most 240 characters.', z.string().nullish()),
    body_text: about('Only when bodies were requested.', z.string().nullish()),
    ...allOurs({
      expects_answer: about('The sender waits for an answer.', z.boolean().optional()),
      answer_by: about('When it is needed.', stamp.optional()),
    }),
    sender: participant,
    to: z.array(participant),
    cc: z.array(participant),
    reply_to: z.array(participant),
    attachments: z.array(attachment),
  }),
);

const prefix = {
  schema_version: z.literal(1),
  transport: z.enum(transportNames()),
  principal_id: z.string(),
  address: z.string(),
};

export const mailStatus = name(
  'MailStatus',
  strict({
    ...prefix,
    bindings_version: z.string(),
    ...allOurs({
      location: z.string().optional(),
      open_count: count.optional(),
      unread_count: count.optional(),
      set_aside_count: count.optional(),
      warnings: z.array(z.string()).optional(),
    }),
  }),
);

/** Newest first. The counts are of this page. */
export const mailList = name(
  'MailList',
  strict({
    ...prefix,
    box: z.string().nullable(),
    message_count: count,
    open_count: count,
    unread_count: count,
    messages: z.array(mailMessageView),
    ...allOurs({
      next_cursor: nextPage.next_cursor.optional(),
      truncated: nextPage.truncated.optional(),
    }),
  }),
);

export const mailOne = name(
  'MailOne',
  strict({
    ...prefix,
    operation: z.enum(['peek', 'read', 'send', 'post', 'reply']),
    message: mailMessageView,
    ...allOurs({
      duplicate: about('The idempotency key was known; nothing was sent again.', z.boolean().optional()),
      held: about(
        'The server that keeps the mailbox is away; the message is sent when it is back.',
        z.boolean().optional(),
      ),
    }),
  }),
);

export const mailMany = name(
  'MailMany',
  strict({
    ...prefix,
    operation: z.enum(['mark', 'move', 'archive']),
    message_count: count,
    messages: z.array(mailMessageView),
  }),
);

export type MailMessageView = z.infer<typeof mailMessageView>;
export type MailStatus = z.infer<typeof mailStatus>;
export type MailList = z.infer<typeof mailList>;
export type MailOne = z.infer<typeof mailOne>;
export type MailMany = z.infer<typeof mailMany>;
