import type { MailList, MailMany, MailOne, MailStatus } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS } from '../agents/target.ts';
import type { Command, Flag, Input, Output } from '../command.ts';
import { notBlank, utcTime, wholeNumber } from '../input/flag-values.ts';
import { askMail, type Json } from './agents-mail-access.ts';
import { MESSAGE_REF, MESSAGE_REFS, OUTGOING_FLAGS, outgoing } from './agents-mail-flags.ts';
import { mailManyText, mailStatusText, mailTable, mailText } from './agents-mail-print.ts';

const EXAMPLE_REF = 'filesystem:msg-20260416T091402Z-0123456789abcdef0123456789abcdef';

const BOX: Flag = {
  name: 'box',
  value: 'BOX',
  summary: 'inbox (default; archive with --archived), sent, archive, …',
  parse: notBlank,
};
const PAGE: Flag[] = [
  { name: 'limit', value: 'N', summary: 'maximum number to show', parse: wholeNumber(1) },
  { name: 'include-body', summary: 'with the bodies' },
];

/** The body of an operation: the fields whose flags were given. */
function fields({ flags }: Input, names: Record<string, string>): Json {
  return Object.fromEntries(
    Object.entries(names)
      .filter(([, flag]) => flags[flag] !== undefined)
      .map(([field, flag]) => [field, flags[flag]]),
  );
}

/** What a search is cut at when no limit is given. */
const SEARCH_LIMIT = 50;

const REF = { message_ref: 'messageRef', box: 'box' };
const REFS = { message_refs: 'messageRef' };

async function status(input: Input): Promise<Output> {
  const data = await askMail(input, 'status');
  return { data, plain: mailStatusText(data as unknown as MailStatus) };
}

async function list(input: Input): Promise<Output> {
  const body = fields(input, {
    box: 'box',
    read_state: 'readState',
    answered_state: 'answeredState',
    archived: 'archived',
    limit: 'limit',
    since: 'since',
    include_body: 'includeBody',
    cursor: 'cursor',
  });
  // Archived mail is looked for where it is, as in rouse mail list.
  if (body['archived'] === true) body['box'] ??= 'archive';
  return listed(await askMail(input, 'list', body), { cursor: input.flags['cursor'] });
}

async function search(input: Input): Promise<Output> {
  const body = {
    text: input.args[0],
    ...fields(input, { box: 'box', limit: 'limit', include_body: 'includeBody' }),
  };
  return listed(await askMail(input, 'search', body), { limit: input.flags['limit'] ?? SEARCH_LIMIT });
}

const listed = (data: Json, asked: { cursor?: unknown; limit?: unknown }): Output => ({
  data,
  plain: mailTable(data as unknown as MailList, asked),
});
const one = (data: Json): Output => ({ data, plain: mailText(data as unknown as MailOne) });
const many = (data: Json): Output => ({ data, plain: mailManyText(data as unknown as MailMany) });

/** What was sent, without its body: the sender has it. */
function sentOne(data: Json): Output {
  const { message, ...rest } = data as unknown as MailOne;
  return { data, plain: `Sent.\n${mailText({ ...rest, message: { ...message, body_text: null } })}` };
}

async function send(input: Input): Promise<Output> {
  const body = { ...fields(input, { to: 'to', cc: 'cc', subject: 'subject' }), ...(await outgoing(input)) };
  return sentOne(await askMail(input, 'send', body));
}

async function post(input: Input): Promise<Output> {
  const named = fields(input, { subject: 'subject', reply_policy: 'replyPolicy' });
  return sentOne(await askMail(input, 'post', { ...named, ...(await outgoing(input)) }));
}

async function reply(input: Input): Promise<Output> {
  return sentOne(
    await askMail(input, 'reply', {
      ...fields(input, { message_ref: 'messageRef' }),
      ...(await outgoing(input)),
    }),
  );
}

async function mark(input: Input): Promise<Output> {
  const body = fields(input, { ...REFS, read: 'read', answered: 'answered', archived: 'archived' });
  return many(await askMail(input, 'mark', body));
}

const SUBJECT: Flag = {
  name: 'subject',
  value: 'TEXT',
  summary: 'one line',
  required: true,
  parse: notBlank,
};

/** The agent's mail, through its gateway when one lives, otherwise on the store itself. */
export const MAIL_COMMANDS: Command[] = [
  {
    name: 'status',
    summary: 'which mailbox it is, and how much is open in it',
    examples: ['rouse agents mail status --agent-name gpu'],
    flags: GATEWAY_TARGET_FLAGS,
    run: status,
  },
  {
    name: 'list',
    summary: 'messages of one box, newest first',
    examples: [
      'rouse agents mail list --agent-name gpu --read-state unread',
      'rouse agents mail list --agent-name gpu --box archive --limit 5 --include-body',
    ],
    flags: [
      ...GATEWAY_TARGET_FLAGS,
      BOX,
      {
        name: 'read-state',
        value: 'STATE',
        choices: ['any', 'read', 'unread'],
        summary: 'only read or unread ones',
      },
      {
        name: 'answered-state',
        value: 'STATE',
        choices: ['any', 'answered', 'unanswered'],
        summary: 'only answered or unanswered ones',
      },
      {
        name: 'archived',
        negatable: true,
        opposite: 'not-archived',
        summary: 'only archived ones; --not-archived for the others',
      },
      { name: 'since', value: 'TIME', summary: 'not older than this', parse: utcTime },
      ...PAGE,
      {
        name: 'cursor',
        value: 'CURSOR',
        summary: 'next page: the cursor printed with the previous page',
        parse: notBlank,
      },
    ],
    run: list,
  },
  {
    name: 'search',
    summary: 'messages that contain all given words',
    description: 'Looks at subjects and bodies. "Quoted words" must follow each other; word* is a beginning.',
    examples: ['rouse agents mail search --agent-name gpu "build failed"'],
    args: [{ name: 'text', summary: 'what to look for' }],
    flags: [...GATEWAY_TARGET_FLAGS, { ...BOX, summary: 'only this box; default: all' }, ...PAGE],
    run: search,
  },
  {
    name: 'peek',
    summary: 'one message with its body; it does not become read',
    examples: [`rouse agents mail peek --agent-name gpu --message-ref ${EXAMPLE_REF}`],
    flags: [...GATEWAY_TARGET_FLAGS, MESSAGE_REF, { ...BOX, summary: 'it must be in this box' }],
    run: async (input) => one(await askMail(input, 'peek', fields(input, REF))),
  },
  {
    name: 'read',
    summary: 'one message with its body, which becomes read',
    examples: [`rouse agents mail read --agent-name gpu --message-ref ${EXAMPLE_REF}`],
    flags: [...GATEWAY_TARGET_FLAGS, MESSAGE_REF, { ...BOX, summary: 'it must be in this box' }],
    run: async (input) => one(await askMail(input, 'read', fields(input, REF))),
  },
  {
    name: 'send',
    summary: 'send mail from the agent to full addresses',
    examples: [
      'rouse agents mail send --agent-name gpu --to ben@houmao.localhost --subject "Done" --body-content "All tests pass."',
      'rouse agents mail send --agent-name gpu --to ben@houmao.localhost --subject Report --attach report.pdf < report.md',
    ],
    flags: [
      ...GATEWAY_TARGET_FLAGS,
      { name: 'to', value: 'ADDRESS', summary: 'a recipient; may be repeated', many: true, required: true },
      { name: 'cc', value: 'ADDRESS', summary: 'also to; may be repeated', many: true },
      SUBJECT,
      ...OUTGOING_FLAGS,
    ],
    run: send,
  },
  {
    name: 'post',
    summary: "leave a note of the operator in the agent's own inbox",
    examples: [
      'rouse agents mail post --agent-name gpu --subject "New goal" --body-content "Port it to Rust."',
    ],
    flags: [
      ...GATEWAY_TARGET_FLAGS,
      SUBJECT,
      {
        name: 'reply-policy',
        value: 'POLICY',
        choices: ['operator_mailbox', 'none'],
        summary: 'whether the agent may reply: into the mailbox of the operator (default), or not',
      },
      ...OUTGOING_FLAGS,
    ],
    run: post,
  },
  {
    name: 'reply',
    summary: 'reply to a message, which becomes read and answered',
    examples: [
      `rouse agents mail reply --agent-name gpu --message-ref ${EXAMPLE_REF} --body-content "Will do."`,
    ],
    flags: [...GATEWAY_TARGET_FLAGS, MESSAGE_REF, ...OUTGOING_FLAGS],
    run: reply,
  },
  {
    name: 'mark',
    summary: 'set or clear read, answered, archived',
    examples: [`rouse agents mail mark --agent-name gpu --message-ref ${EXAMPLE_REF} --unread`],
    flags: [
      ...GATEWAY_TARGET_FLAGS,
      MESSAGE_REFS,
      { name: 'read', negatable: true, opposite: 'unread', summary: 'it has been read' },
      { name: 'answered', negatable: true, opposite: 'unanswered', summary: 'it has been answered' },
      { name: 'archived', negatable: true, opposite: 'unarchived', summary: 'it is done with' },
    ],
    run: mark,
  },
  {
    name: 'move',
    summary: 'move messages to another box',
    examples: [
      `rouse agents mail move --agent-name gpu --message-ref ${EXAMPLE_REF} --destination-box later`,
    ],
    flags: [
      ...GATEWAY_TARGET_FLAGS,
      MESSAGE_REFS,
      { name: 'destination-box', value: 'BOX', summary: 'where to', required: true, parse: notBlank },
    ],
    run: async (input) =>
      many(await askMail(input, 'move', fields(input, { ...REFS, destination_box: 'destinationBox' }))),
  },
  {
    name: 'archive',
    summary: 'move messages to the archive: they are done with, and wake nobody',
    examples: [`rouse agents mail archive --agent-name gpu --message-ref ${EXAMPLE_REF}`],
    flags: [...GATEWAY_TARGET_FLAGS, MESSAGE_REFS],
    run: async (input) => many(await askMail(input, 'archive', fields(input, REFS))),
  },
];
