import * as z from 'zod';
import {
  about,
  bounded,
  count,
  integer,
  nextPage,
  notBlank,
  oneLine,
  stamp,
  strict,
  text,
  trimmed,
} from '../fields.ts';
import { mailReceipts } from '../v1/mail-receipts.ts';
import { mailMessageView } from '../v1/mail-responses.ts';
import { actionId } from './actions.ts';

const mailbox = about('`id` of a mailbox in the list of mailboxes.', z.string().min(1).max(300));
const ref = about('`message_ref`, as the lists show it.', z.string().min(1).max(1000));

export const pageMailboxes = strict({
  mailboxes: z.array(
    strict({
      id: z.string(),
      address: z.string(),
      display_name: z.string().nullable(),
      agent: about('Name of its agent; null for people.', z.string().nullable()),
      operator: about("The operator's own.", z.boolean()),
      unread: count.nullable(),
      boxes: z.array(z.string()),
      trouble: about('Why it cannot be read; null when it can.', z.string().nullable()),
    }),
  ),
});

export const pageMailQuery = strict({
  mailbox: mailbox.optional(),
  box: z.string().max(200).optional(),
  q: about('Words to search for.', z.string().max(1000).optional()),
  unread: z.enum(['true', 'false']).optional(),
  cursor: z.string().max(1000).optional(),
  limit: integer.min(1).max(200).default(50),
});

const listed = strict({ mailbox, ...mailMessageView.shape });
export const pageMailList = strict({ messages: about('Newest first.', z.array(listed)), ...nextPage });

export const pageMessageQuery = strict({ mailbox, ref });
export const pageThreadQuery = strict({ mailbox, thread: ref });
export const pageReceiptsQuery = strict({ ref });
export const pageReceipts = mailReceipts;
export const pageAttachmentQuery = strict({ mailbox, ref, attachment: z.string().min(1).max(300) });

const delivery = strict({
  address: z.string(),
  read: z.boolean().nullable(),
  answered: z.boolean().nullable(),
  agent: z.string().nullable(),
});
const whole = strict({
  mailbox,
  ...mailMessageView.shape,
  body_cut: about('The body is longer than the page shows; the command shows all of it.', z.boolean()),
  delivered: about('For each recipient whose mailbox is on this host.', z.array(delivery)),
  command: z.string().nullable(),
});
export const pageMessage = strict({ message: whole });
/** Oldest first. */
export const pageThread = strict({ messages: z.array(whole), truncated: z.boolean() });

const outgoing = {
  action_id: actionId,
  body: text.max(1_000_000),
  attachments: about(
    'Small files, in the body of the request.',
    z
      .array(
        strict({
          name: oneLine.max(255),
          content_base64: z.string().max(3_000_000),
        }),
      )
      .max(10),
  ).default([]),
};
export const pageMailSendBody = strict({
  ...outgoing,
  to: about('Addresses or names of agents.', z.array(bounded('addressLength', trimmed)).min(1).max(20)),
  subject: oneLine.max(900),
});
export const pageMailReplyBody = strict({ ...outgoing, mailbox, ref });
const refs = z.array(notBlank.max(1000)).min(1).max(200);
export const pageMailArchiveBody = strict({ action_id: actionId, mailbox, refs });
export const pageMailMarkBody = strict({ action_id: actionId, mailbox, refs, read: z.boolean() });
export const pageMailSent = strict({
  action_id: z.string(),
  sentence: z.string(),
  at_utc: stamp,
  repeated: z.boolean(),
  mailbox,
  message_ref: z.string(),
  thread_ref: z.string().nullable(),
});

export type PageMailboxes = z.infer<typeof pageMailboxes>;
export type PageMailList = z.infer<typeof pageMailList>;
export type PageMessage = z.infer<typeof pageMessage>['message'];
export type PageReceipts = z.infer<typeof pageReceipts>;
export type PageThread = z.infer<typeof pageThread>;
export type PageMailSent = z.infer<typeof pageMailSent>;
