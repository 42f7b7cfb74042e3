import * as z from 'zod';
import { asRouseError } from '../../base/index.ts';
import type { FieldProblem } from '../field-problem.ts';
import {
  about,
  absolutePath,
  bounded,
  instant,
  integer,
  names,
  notBlank,
  oneLine,
  rules,
  strict,
  text,
  trimmed,
} from '../fields.ts';
import { LIMITS, limitSentence } from '../limits.ts';
import { ARCHIVE, parseBoxName } from './mail-box.ts';
import { ANSWERED_STATES, type MailPlace, READ_STATES, REPLY_POLICIES } from './mail-query.ts';

/**
 * The operations of a mailbox: one schema each. Stores, HTTP, MCP and the command line all check against these; HTTP
 * adds `schema_version`.
 */

const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Shorter than a stored subject may be, so that "Re: " always fits in front. */
const MAX_SUBJECT_LENGTH = 900;
const MAX_PATH_LENGTH = 4096;
const MAX_REFS = 10_000;

const box = z
  .string()
  .trim()
  .max(300)
  .superRefine((value, context) => {
    try {
      parseBoxName(value);
    } catch (error) {
      const { message, hint } = asRouseError(error);
      context.addIssue({ code: 'custom', message: message.replace(/^box /, ''), params: { hint } });
    }
  });

const oneRef = trimmed.max(1000);
const messageRef = about('`message_ref` of a message, as the lists show it.', oneRef);
const messageRefs = about(
  '`message_ref`s of the messages.',
  z
    .array(oneRef)
    .min(1)
    .max(MAX_REFS)
    .refine((refs) => new Set(refs).size === refs.length, 'must not name a message twice'),
);

const addresses = z.array(bounded('addressLength', trimmed));

const subject = about('One line.', oneLine.max(MAX_SUBJECT_LENGTH));

const attachment = rules(
  strict({
    path: names(
      'file',
      'owner_or_session',
      about(
        'A file of the host of the mailbox, by its absolute path. For anyone but the owner it must be below the working directory of the session.',
        absolutePath
          .max(MAX_PATH_LENGTH)
          .refine(
            (path) => oneLine.safeParse(path).data === path,
            'must be one line without control characters',
          )
          .optional(),
      ),
    ),
    name: about('With `content_base64`: the name of the file.', oneLine.max(255).optional()),
    content_base64: about(
      'The bytes themselves, instead of a path; they are kept with the mail.',
      z
        .base64('must be base64')
        .max(Math.ceil(LIMITS.attachmentBytes.max / 3) * 4)
        .optional(),
    ),
    label: about('What to call it.', oneLine.max(255).nullish()),
    copy: about('Keep its bytes with the mail instead of a reference.', z.boolean().default(false)),
  }),
  ({ path, name, content_base64: content }) => {
    if ((path === undefined) === (content === undefined))
      return [{ path: ['path'], message: 'set exactly one of path or content_base64' }];
    if ((name === undefined) !== (content === undefined))
      return [{ path: ['name'], message: 'is required with content_base64, and refused with path' }];
    return [];
  },
);

export const mailBody = text.refine(
  (body) => Buffer.byteLength(body) <= MAX_BODY_BYTES,
  `must be at most ${MAX_BODY_BYTES} bytes`,
);

const outgoing = {
  body_content: about(`Markdown, at most ${MAX_BODY_BYTES} bytes.`, mailBody),
  attachments: bounded(
    'attachments',
    z.array(attachment),
    `${limitSentence('localAttachmentBytes')} ${limitSentence('attachmentBytes')}`,
  ).default([]),
  expects_answer: about(
    'The sender waits for an answer. Mutual waits are found and reported.',
    z.boolean().default(false),
  ),
  answer_by: about(
    'When the answer is needed; implies `expects_answer`. An answer that is late is reported once.',
    instant.nullish(),
  ),
  idempotency_key: about(
    'A retry with the same key and content is the same message; other content is a conflict.',
    oneLine.max(200).nullish(),
  ),
};

const page = {
  limit: about('Maximum number of messages on a page.', integer.positive().nullish()),
  include_body: about('With the bodies.', z.boolean().default(false)),
  cursor: about('`next_cursor` of the page before.', z.string().max(1000).nullish()),
};

const list = rules(
  strict({
    box: about('Default: `inbox`, or `archive` when archived mail is asked for.', box.nullish()),
    read_state: z.enum(READ_STATES).default('any'),
    answered_state: z.enum(ANSWERED_STATES).default('any'),
    archived: about('null: archived or not.', z.boolean().nullish()),
    since: about('Not older than this time, such as 2026-01-31T08:00:00Z.', instant.nullish()),
    ...page,
  }),
  onePlace,
);

/** The archive box holds exactly what is archived, so a query that no message can match is a mistake. */
function onePlace({ box: named, archived }: MailPlace): FieldProblem[] {
  if (named == null || archived == null || archived === (named === ARCHIVE)) return [];
  const problem = archived
    ? `must be ${ARCHIVE} or left out when archived is true: archived mail is nowhere else`
    : `must not be ${ARCHIVE} when archived is false: what is in it is archived`;
  return [{ path: ['box'], message: problem }];
}

const search = strict({
  text: about(
    'All words must occur in subject or body; "quoted words" must follow each other; word* is a beginning.',
    notBlank.max(1000),
  ),
  box: about('Default: every box.', box.nullish()),
  ...page,
});

const one = strict({ message_ref: messageRef, box: about('It must be in this box.', box.nullish()) });

const flag = z.boolean().nullish();

const mark = rules(
  strict({ message_refs: messageRefs, read: flag, answered: flag, archived: flag }),
  ({ read, answered, archived }) => {
    if (read == null && answered == null && archived == null) {
      return [{ path: ['read'], message: 'set at least one of read, answered or archived' }];
    }
    if (archived === true && read === false) {
      return [{ path: ['read'], message: 'must not be false when archived is true: archived mail is read' }];
    }
    return [];
  },
);

export const MAIL_OPERATIONS = {
  /** Messages of one box, newest first. */
  list,
  /** The same, under an older name. */
  check: list,
  /** Full text over subject and body. */
  search,
  peek: one,
  read: one,
  /** New mail from this mailbox. Addresses are looked up by the store, which can name the nearest known one. */
  send: strict({
    to: bounded(
      'recipients',
      addresses.min(1),
      'Mail addresses, or names of agents: `ana`; at a gateway also `app/ana`, for one of another project.',
    ),
    cc: bounded('recipients', addresses, 'The same; they get a copy.').default([]),
    subject,
    ...outgoing,
    hold: about(
      'If the server that keeps the mailbox is away, keep the message here and send it once it is back.',
      z.boolean().default(false),
    ),
  }),
  /** A note of the operator into this mailbox. */
  post: strict({
    subject,
    reply_policy: about('Whether the agent can answer.', z.enum(REPLY_POLICIES).default('operator_mailbox')),
    ...outgoing,
  }),
  reply: strict({ message_ref: messageRef, ...outgoing }),
  /** Flags to set or clear; at least one. */
  mark,
  move: strict({ message_refs: messageRefs, destination_box: about('Any name.', box) }),
  archive: strict({ message_refs: messageRefs }),
};

export type MailOperationName = keyof typeof MAIL_OPERATIONS;
export type MailOperationInput<Name extends MailOperationName> = z.input<(typeof MAIL_OPERATIONS)[Name]>;

export type MailQuery = MailOperationInput<'list'>;
export type MailSearch = MailOperationInput<'search'>;
export type MailDraft = MailOperationInput<'send'>;
export type MailPost = MailOperationInput<'post'>;
export type MailReply = MailOperationInput<'reply'>;
export type MailMark = MailOperationInput<'mark'>;
export type NewAttachment = z.input<typeof attachment>;
