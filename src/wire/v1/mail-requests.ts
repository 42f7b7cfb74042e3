import * as z from 'zod';
import { messageOf } from '../../base/index.ts';
import { ANSWERED_STATES, limit, parseBoxName, READ_STATES, REPLY_POLICIES } from '../../domain/index.ts';
import {
  about,
  absolutePath,
  instant,
  integer,
  name,
  notBlank,
  oneLine,
  rules,
  schemaVersion,
  strict,
  text,
  trimmed,
} from '../fields.ts';

const version = { schema_version: schemaVersion(1) };

const box = z
  .string()
  .trim()
  .superRefine((value, context) => {
    try {
      parseBoxName(value);
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error).replace(/^box /, '') });
    }
  });

const messageRefs = z
  .array(trimmed)
  .min(1)
  .refine((refs) => new Set(refs).size === refs.length, 'must not name a message twice');

const recipients = z
  .array(
    trimmed.refine((address) => address.length <= limit('addressLength'), {
      error: () => `must have at most ${limit('addressLength')} characters`,
    }),
  )
  .refine((list) => list.length <= limit('recipients'), {
    error: () => `must have at most ${limit('recipients')} entries`,
  });

const outgoing = {
  ...version,
  body_content: text,
  attachments: z
    .array(
      strict({
        path: about('A local file.', absolutePath),
        label: oneLine.nullish(),
        copy: about('Keep its bytes with the mail instead of a reference.', z.boolean().optional()),
      }),
    )
    .default([]),
  idempotency_key: about(
    'A retry with the same key and content is the same message; other content is a conflict.',
    oneLine.max(200).nullish(),
  ),
};

const page = {
  limit: integer.positive().nullish(),
  include_body: z.boolean().default(false),
  cursor: about('`next_cursor` of the page before.', z.string().nullish()),
};

export const mailListBody = name(
  'MailListBody',
  strict({
    ...version,
    box: box.default('inbox'),
    read_state: z.enum(READ_STATES).default('any'),
    answered_state: z.enum(ANSWERED_STATES).default('any'),
    archived: about('null: archived or not.', z.boolean().nullish()),
    since: about('Not older than this.', instant.nullish()),
    ...page,
  }),
);

export const mailSearchBody = name(
  'MailSearchBody',
  strict({ ...version, text: notBlank, box: box.nullish(), ...page }),
);

export const mailOneBody = name(
  'MailOneBody',
  strict({ ...version, message_ref: trimmed, box: box.nullish() }),
);

export const mailSendBody = name(
  'MailSendBody',
  strict({ ...outgoing, to: recipients.min(1), cc: recipients.default([]), subject: oneLine }),
);

export const mailPostBody = name(
  'MailPostBody',
  strict({ ...outgoing, subject: oneLine, reply_policy: z.enum(REPLY_POLICIES).default('operator_mailbox') }),
);

export const mailReplyBody = name('MailReplyBody', strict({ ...outgoing, message_ref: trimmed }));

const flag = z.boolean().nullish();

export const mailMarkBody = name(
  'MailMarkBody',
  rules(
    strict({ ...version, message_refs: messageRefs, read: flag, answered: flag, archived: flag }),
    ({ read, answered, archived }) => {
      if (read == null && answered == null && archived == null) {
        return [{ path: ['read'], message: 'set at least one of read, answered or archived' }];
      }
      if (archived === true && read === false) {
        return [
          { path: ['read'], message: 'must not be false when archived is true: archived mail is read' },
        ];
      }
      return [];
    },
  ),
);

export const mailMoveBody = name(
  'MailMoveBody',
  strict({ ...version, message_refs: messageRefs, destination_box: box }),
);

export const mailArchiveBody = name('MailArchiveBody', strict({ ...version, message_refs: messageRefs }));

export type MailListBody = z.infer<typeof mailListBody>;
export type MailListInput = z.input<typeof mailListBody>;
export type MailSearchBody = z.infer<typeof mailSearchBody>;
export type MailSearchInput = z.input<typeof mailSearchBody>;
export type MailOneBody = z.infer<typeof mailOneBody>;
export type MailOneInput = z.input<typeof mailOneBody>;
export type MailSendBody = z.infer<typeof mailSendBody>;
export type MailSendInput = z.input<typeof mailSendBody>;
export type MailPostBody = z.infer<typeof mailPostBody>;
export type MailPostInput = z.input<typeof mailPostBody>;
export type MailReplyBody = z.infer<typeof mailReplyBody>;
export type MailReplyInput = z.input<typeof mailReplyBody>;
export type MailMarkBody = z.infer<typeof mailMarkBody>;
export type MailMarkInput = z.input<typeof mailMarkBody>;
export type MailMoveBody = z.infer<typeof mailMoveBody>;
export type MailMoveInput = z.input<typeof mailMoveBody>;
export type MailArchiveBody = z.infer<typeof mailArchiveBody>;
export type MailArchiveInput = z.input<typeof mailArchiveBody>;
