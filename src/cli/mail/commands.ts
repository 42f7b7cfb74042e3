import * as path from 'node:path';
import { invalid } from '../../base/index.ts';
import type { MailOperationName } from '../../domain/index.ts';
import { REPLY_POLICIES } from '../../domain/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import {
  type Argument,
  type Command,
  type Flag,
  type FlagsOf,
  flagKey,
  type Input,
  type InputOf,
} from '../command.ts';
import { bodyText } from '../input/body-text.ts';
import { notBlank } from '../input/flag-values.ts';
import type { MailAnswer, MailDoor } from './door.ts';
import {
  ANSWERED_STATE,
  ARCHIVED_STATE,
  type ATTACHMENT_FLAGS,
  BOX,
  CURSOR,
  HOLD,
  INCLUDE_BODY,
  LIMIT,
  MESSAGE_REF,
  MESSAGE_REFS,
  OUTGOING_FLAGS,
  READ_STATE,
  SINCE,
  SUBJECT,
} from './flags.ts';
import { changedText, messageText, pageText, sentText, statusText } from './print.ts';
import { addresses } from './recipients.ts';

interface MailCommand<I> {
  operation: MailOperationName | 'status';
  summary: string;
  description?: string;
  /** What follows the command and the mailbox. */
  examples: string[];
  args?: Argument[];
  flags: readonly Flag[];
  body(input: I, door: Pick<MailDoor<never>, 'sender'>): object | Promise<object>;
  print(answer: MailAnswer, input: I): string | Promise<string>;
}

function mailCommand<const List extends readonly Flag[]>(
  definition: MailCommand<InputOf<NoInfer<List>>> & { flags: List },
): MailCommand<Input> {
  return definition as unknown as MailCommand<Input>;
}

const EXAMPLE_REF = 'filesystem:msg-20260416T091402Z-0123456789abcdef0123456789abcdef';

/** `readState` is the field `read_state`. */
type FieldOf<Key> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${FieldOf<Tail>}`
  : '';

/** The fields of an operation whose flags were given: `read_state` is --read-state. */
function fields<Flags extends object>(
  { flags }: Input<Flags>,
  names: readonly FieldOf<keyof Flags>[],
): Record<string, unknown> {
  const given = names.map((name) => [name, flags[flagKey(name.replaceAll('_', '-')) as keyof Flags]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

const refs = ({ flags }: InputOf<readonly [typeof MESSAGE_REFS]>): object => ({
  message_refs: flags.messageRef,
});

async function outgoing(input: InputOf<typeof OUTGOING_FLAGS>): Promise<object> {
  return { body_content: await bodyText(input), ...attachments(input.flags) };
}

export function attachments({
  attach,
  attachCopy,
  idempotencyKey,
  expectsAnswer,
  by,
}: FlagsOf<typeof ATTACHMENT_FLAGS>): object {
  const files = (given: string[] | undefined, copy: boolean) =>
    (given ?? []).map((file) => ({ path: path.resolve(file), copy }));
  return {
    attachments: [...files(attach, false), ...files(attachCopy, true)],
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
    ...((expectsAnswer || by !== undefined) && { expects_answer: true }),
    ...(by !== undefined && { answer_by: by }),
  };
}

/** Separate words may be anywhere; the words of one argument must follow each other. */
export function searchText({ args }: Input): string {
  return args.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word)).join(' ');
}

const COMMANDS: MailCommand<Input>[] = [
  mailCommand({
    operation: 'status',
    summary: 'whose mailbox it is, where it is, and how much mail is open',
    examples: [''],
    flags: [],
    body: () => ({}),
    print: statusText,
  }),
  mailCommand({
    operation: 'list',
    summary: 'what is in a box, newest first',
    examples: ['--read-state unread --limit 20', '--box archive --include-body'],
    flags: [
      { ...BOX, summary: 'which box (default: inbox; with --archived: archive)' },
      READ_STATE,
      ANSWERED_STATE,
      ARCHIVED_STATE,
      SINCE,
      LIMIT,
      CURSOR,
      INCLUDE_BODY,
    ],
    body: (input) =>
      fields(input, [
        'box',
        'read_state',
        'answered_state',
        'archived',
        'since',
        'limit',
        'cursor',
        'include_body',
      ]),
    print: pageText,
  }),
  mailCommand({
    operation: 'peek',
    summary: 'show a message without marking it read',
    examples: [`--message-ref ${EXAMPLE_REF}`],
    flags: [MESSAGE_REF, BOX],
    body: (input) => fields(input, ['message_ref', 'box']),
    print: messageText,
  }),
  mailCommand({
    operation: 'read',
    summary: 'show a message and mark it read',
    examples: [`--message-ref ${EXAMPLE_REF}`],
    flags: [MESSAGE_REF, BOX],
    body: (input) => fields(input, ['message_ref', 'box']),
    print: messageText,
  }),
  mailCommand({
    operation: 'send',
    summary: 'send mail from this mailbox to addresses or agents',
    examples: [
      `--to ben@${LOCAL_DOMAIN} --subject done --body "all green"`,
      `--to ben@${LOCAL_DOMAIN} --subject report --attach report.pdf < report.md`,
    ],
    flags: [
      {
        name: 'to',
        value: 'ADDRESS',
        names: 'agent',
        summary: 'recipient: a mail address, or the name of an agent; may be repeated',
        many: true,
        required: true,
      },
      { name: 'cc', value: 'ADDRESS', summary: 'further recipient; may be repeated', many: true },
      SUBJECT,
      ...OUTGOING_FLAGS,
      HOLD,
    ],
    body: async (input, door) => ({
      ...fields(input, ['subject', 'hold']),
      to: await addresses(input, input.flags.to, door.sender),
      ...(input.flags.cc && { cc: await addresses(input, input.flags.cc, door.sender) }),
      ...(await outgoing(input)),
    }),
    print: sentText,
  }),
  mailCommand({
    operation: 'post',
    summary: 'leave an operator note in this mailbox',
    examples: ['--subject "before you go on" --body "the build is red"'],
    flags: [
      SUBJECT,
      {
        name: 'reply-policy',
        value: 'POLICY',
        summary: "whether the agent may reply: to the operator's mailbox (default), or not at all",
        choices: REPLY_POLICIES,
      },
      ...OUTGOING_FLAGS,
    ],
    body: async (input) => ({ ...fields(input, ['subject', 'reply_policy']), ...(await outgoing(input)) }),
    print: sentText,
  }),
  mailCommand({
    operation: 'reply',
    summary: 'answer a message, and mark it read and answered',
    examples: [`--message-ref ${EXAMPLE_REF} --body "done"`],
    flags: [MESSAGE_REF, ...OUTGOING_FLAGS],
    body: async (input) => ({ ...fields(input, ['message_ref']), ...(await outgoing(input)) }),
    print: sentText,
  }),
  mailCommand({
    operation: 'mark',
    summary: 'mark messages as read, answered or archived, or undo that',
    examples: [`--message-ref ${EXAMPLE_REF} --read`],
    flags: [
      MESSAGE_REFS,
      { name: 'read', summary: 'mark as read', negatable: true, opposite: 'unread' },
      { name: 'answered', summary: 'mark as answered', negatable: true, opposite: 'unanswered' },
      { name: 'archived', summary: 'move to the archive', negatable: true, opposite: 'unarchived' },
    ],
    body: (input) => {
      const { read, answered, archived } = input.flags;
      if (read === undefined && answered === undefined && archived === undefined)
        throw invalid('mark needs at least one flag that says what to change', {
          hint: 'use --read, --answered or --archived, or --unread, --unanswered or --unarchived to undo it',
        });
      return { ...refs(input), ...fields(input, ['read', 'answered', 'archived']) };
    },
    print: changedText,
  }),
  mailCommand({
    operation: 'move',
    summary: 'put messages into another box',
    examples: [`--message-ref ${EXAMPLE_REF} --destination-box later`],
    flags: [
      MESSAGE_REFS,
      { name: 'destination-box', value: 'BOX', summary: 'any name', required: true, parse: notBlank },
    ],
    body: (input) => ({ ...refs(input), ...fields(input, ['destination_box']) }),
    print: changedText,
  }),
  mailCommand({
    operation: 'archive',
    summary: 'archive messages that are done; they are marked read and no longer wake the agent',
    examples: [`--message-ref ${EXAMPLE_REF}`],
    flags: [MESSAGE_REFS],
    body: refs,
    print: changedText,
  }),
  mailCommand({
    operation: 'search',
    summary: 'find words in subjects and bodies',
    description:
      'All words must occur; "quoted words" must follow each other; word* finds every word that begins with it.',
    examples: ['"deploy failed"'],
    args: [{ name: 'words', summary: 'what to look for', variadic: true }],
    flags: [
      { ...BOX, summary: 'only in this box' },
      { ...LIMIT, summary: 'maximum number to show (default 50)' },
      CURSOR,
      INCLUDE_BODY,
    ],
    body: (input) => ({
      text: searchText(input),
      ...fields(input, ['box', 'limit', 'cursor', 'include_body']),
    }),
    print: pageText,
  }),
];

/** Every mail command, on the mailbox that `door` finds. */
export function mailCommands<List extends readonly Flag[]>(door: MailDoor<List>): Command[] {
  const { family, mailbox } = door.example;
  return COMMANDS.map(({ operation, examples, flags, body, print, ...words }) => ({
    ...words,
    name: operation,
    examples: examples.map((rest) => `${family} ${operation} ${mailbox} ${rest}`.trim()),
    flags: [...flags, ...door.flags],
    async run(input) {
      const data = await door.ask(input as InputOf<List>, operation, await body(input, door as never));
      return { data, plain: await print(data, input) };
    },
  }));
}
