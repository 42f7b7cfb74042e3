import * as z from 'zod';
import { ANSWERED_STATES, type FieldProblem } from '../../domain/index.ts';
import {
  about,
  bounded,
  count,
  instant,
  integer,
  nextPage,
  notBlank,
  oneLine,
  rules,
  stamp,
  strict,
  text,
  trimmed,
} from '../fields.ts';
import { mailReceipts } from '../v1/mail-receipts.ts';
import { mailMessageView } from '../v1/mail-responses.ts';
import { actionId } from './actions.ts';

/** Messages that one action sorts. */
const MAX_SORTED = 1000;

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

const isSet = z.enum(['true', 'false']);
const person = oneLine.max(300);

export const pageMailQuery = strict({
  mailbox: mailbox.optional(),
  box: z.string().max(200).optional(),
  q: about('Words to search for.', z.string().max(1000).optional()),
  from: about("A part of the sender's address or name.", person.optional()),
  to: about("A part of a recipient's address or name.", person.optional()),
  since: about('Not older than this time.', instant.optional()),
  unread: isSet.optional(),
  answered: z.enum(ANSWERED_STATES).default('any'),
  files: about('Only mail with attachments.', isSet.optional()),
  cursor: z.string().max(1000).optional(),
  limit: integer.min(1).max(200).default(50),
});

const participant = mailMessageView.shape.sender;
const conversation = strict({
  mailbox: about('The mailbox that shows it.', mailbox),
  message: about('The newest message that matches.', mailMessageView),
  count: about('Messages of the thread, in all mailboxes.', count),
  unread: about('Unread ones in this mailbox.', count),
  archived: about('All that this mailbox received of it is in its archive.', z.boolean()),
  participants: z.array(participant),
  refs: about('The messages that sorting it changes.', z.array(z.string())),
});
export const pageMailList = strict({
  conversations: about('One row per thread, newest first.', z.array(conversation)),
  ...nextPage,
});

export const pageMessageQuery = strict({ mailbox, ref });
export const pageThreadQuery = strict({ mailbox, thread: ref });
export const pageAttachmentQuery = strict({ mailbox, ref, attachment: z.string().min(1).max(300) });

const whole = strict({
  mailbox,
  ...mailMessageView.shape,
  body_cut: about('The body is longer than the page shows; the command shows all of it.', z.boolean()),
  command: z.string().nullable(),
});
export const pageMessage = strict({ message: whole });
/** Oldest first. */
export const pageThread = strict({
  messages: z.array(whole),
  refs: about('The messages that sorting it changes.', z.array(z.string())),
  truncated: about('Older messages are left out.', z.boolean()),
});

export const pageMailReceipts = strict({
  messages: z.array(strict({ ref: z.string(), ...mailReceipts.shape })),
});

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
const people = z.array(bounded('addressLength', trimmed)).max(20);
export const pageMailSendBody = strict({
  ...outgoing,
  to: about('Addresses or names of agents.', people.min(1)),
  cc: about('The same, for those who get a copy.', people.default([])),
  subject: oneLine.max(900),
  forward: about(
    'A message whose attached copies are sent along. Files that it only refers to are not.',
    strict({ mailbox, ref }).optional(),
  ),
});
export const pageMailReplyBody = strict({ ...outgoing, mailbox, ref });

const refs = z.array(notBlank.max(1000)).min(1).max(MAX_SORTED);
/** Changes messages of one or more mailboxes. */
export const pageMailSortBody = rules(
  strict({
    action_id: actionId,
    chosen: z.array(strict({ mailbox, refs })).min(1).max(200),
    read: z.boolean().optional(),
    archived: z.boolean().optional(),
  }),
  ({ chosen, read, archived }) => [
    ...(read === undefined && archived === undefined
      ? [{ path: ['read'], message: 'set read or archived' }]
      : []),
    ...(archived === true && read === false
      ? [{ path: ['read'], message: 'must not be false when archived is true: archived mail is read' }]
      : []),
    ...tooMany(chosen),
  ],
);

/** Messages of one mailbox that were alike. */
const stateBefore = strict({ mailbox, box: z.string().min(1).max(200), read: z.boolean(), refs });
export const pageMailRestoreBody = rules(
  strict({ action_id: actionId, before: z.array(stateBefore).min(1).max(400) }),
  ({ before }) => tooMany(before),
);
const tooMany = (groups: readonly { refs: readonly string[] }[]): FieldProblem[] =>
  groups.reduce((sum, { refs: each }) => sum + each.length, 0) > MAX_SORTED
    ? [{ path: ['refs'], message: `must be at most ${MAX_SORTED} messages together` }]
    : [];
export const pageMailSorted = strict({
  action_id: z.string(),
  sentence: z.string(),
  at_utc: stamp,
  repeated: z.boolean(),
  before: about('How the changed messages were; restoring it undoes this.', z.array(stateBefore)),
  failed: about(
    'Mailboxes in which nothing was changed, and why.',
    z.array(strict({ mailbox, message: z.string() })),
  ),
});
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
export type PageThread = z.infer<typeof pageThread>;
export type PageConversation = PageMailList['conversations'][number];
export type PageMailReceipts = z.infer<typeof pageMailReceipts>;
export type PageMailSorted = z.infer<typeof pageMailSorted>;
export type PageMailSent = z.infer<typeof pageMailSent>;
