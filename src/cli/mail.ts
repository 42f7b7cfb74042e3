import * as fs from 'node:fs';
import * as path from 'node:path';
import { invalid, messageOf } from '../base/index.ts';
import { ANSWERED_STATES, type NewAttachment, READ_STATES, REPLY_POLICIES } from '../domain/index.ts';
import type { Mailbox } from '../mailbox/index.ts';
import type { Command, Flag, Input, Output } from './command.ts';
import { wholeNumber } from './flag-values.ts';
import { envelope, printChanged, printMessage, printPage, printSent } from './mail-print.ts';
import { MAILBOX_FLAGS, withMailbox } from './mail-store-flags.ts';
import { watchMail } from './mail-watch.ts';
import { keyValues } from './table.ts';

type Run = (mailbox: Mailbox, input: Input) => Promise<Output>;

function command(parts: Omit<Command, 'run'> & { run: Run }): Command {
  const { run, flags = [], ...rest } = parts;
  return {
    ...rest,
    flags: [...flags, ...MAILBOX_FLAGS],
    run: (input) => withMailbox(input, (mailbox) => run(mailbox, input)),
  };
}

const text = (input: Input, name: string): string | undefined => input.flags[name] as string | undefined;
const flag = (input: Input, name: string): boolean | undefined => input.flags[name] as boolean | undefined;
const many = (input: Input, name: string): string[] => (input.flags[name] as string[] | undefined) ?? [];

const MESSAGE: Flag = { name: 'message-ref', value: 'REF', summary: 'which message', required: true };
const MESSAGES: Flag = { ...MESSAGE, summary: 'which message; may be repeated', many: true };
const BOX: Flag = { name: 'box', value: 'BOX', summary: 'the box it must be in' };
const BODY: Flag[] = [
  { name: 'body-content', value: 'TEXT', summary: 'the text; otherwise --body-file or standard input' },
  { name: 'body-file', value: 'FILE', summary: 'file with the text; - is standard input' },
  { name: 'attach', value: 'FILE', summary: 'refer to this file; may be repeated', many: true },
  { name: 'attach-copy', value: 'FILE', summary: 'keep a copy of this file with the mail', many: true },
  {
    name: 'idempotency-key',
    value: 'KEY',
    summary: 'a retry with the same key and text is the same message',
  },
];
const LIMIT: Flag = { name: 'limit', value: 'N', summary: 'at most so many', parse: wholeNumber(1) };
const INCLUDE_BODY: Flag = { name: 'include-body', summary: 'with bodies (in JSON)' };

async function bodyOf(input: Input): Promise<string> {
  const content = text(input, 'bodyContent');
  const file = text(input, 'bodyFile');
  if (content !== undefined && file !== undefined)
    throw invalid('--body-content and --body-file exclude each other');
  if (content !== undefined) return content;
  if (file !== undefined && file !== '-') {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(file));
    } catch (error) {
      throw invalid(`--body-file ${file} cannot be read as UTF-8 text: ${messageOf(error)}`);
    }
  }
  if (input.stdinIsTty && file === undefined) {
    throw invalid('the message has no text', { hint: 'give --body-content, --body-file or standard input' });
  }
  return input.stdin();
}

async function outgoing(input: Input) {
  const file =
    (copy: boolean) =>
    (name: string): NewAttachment => ({ path: path.resolve(name), copy });
  return {
    body_content: await bodyOf(input),
    attachments: [...many(input, 'attach').map(file(false)), ...many(input, 'attachCopy').map(file(true))],
    idempotency_key: text(input, 'idempotencyKey') ?? null,
  };
}

const status = command({
  name: 'status',
  summary: 'whose mailbox it is, where, and how much is open',
  examples: ['rouse mail status --address ana@houmao.localhost'],
  async run(mailbox) {
    const { warnings, ...facts } = await mailbox.status();
    const lines = keyValues({ ...facts, warnings: warnings.length === 0 ? 'none' : warnings });
    return { data: envelope(mailbox, 'status', { ...facts, warnings }), plain: lines };
  },
});

const list = command({
  name: 'list',
  summary: 'what is in a box, newest first',
  examples: ['rouse mail list --address ana@houmao.localhost --read-state unread --limit 20'],
  flags: [
    { ...BOX, summary: 'which box', default: 'inbox' },
    {
      name: 'read-state',
      value: 'STATE',
      summary: 'read, unread or any',
      choices: READ_STATES,
      default: 'any',
    },
    {
      name: 'answered-state',
      value: 'STATE',
      summary: 'by answers',
      choices: ANSWERED_STATES,
      default: 'any',
    },
    { name: 'archived', summary: 'only archived mail', negatable: true, opposite: 'not-archived' },
    LIMIT,
    { name: 'since', value: 'TIME', summary: 'not older than this, for example 2026-01-31T12:00:00Z' },
    { name: 'cursor', value: 'CURSOR', summary: 'continue where the page before ended' },
    INCLUDE_BODY,
  ],
  async run(mailbox, input) {
    const page = await mailbox.list({
      box: text(input, 'box'),
      read_state: input.flags['readState'] as (typeof READ_STATES)[number],
      answered_state: input.flags['answeredState'] as (typeof ANSWERED_STATES)[number],
      archived: flag(input, 'archived') ?? null,
      limit: (input.flags['limit'] as number | undefined) ?? null,
      since: text(input, 'since') ?? null,
      cursor: text(input, 'cursor') ?? null,
      include_body: flag(input, 'includeBody') ?? false,
    });
    return printPage(mailbox, 'list', page);
  },
});

const one = (name: 'peek' | 'read', summary: string): Command =>
  command({
    name,
    summary,
    examples: [
      `rouse mail ${name} --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef`,
    ],
    flags: [MESSAGE, BOX],
    async run(mailbox, input) {
      const message = await mailbox[name](text(input, 'messageRef')!, { box: text(input, 'box') ?? null });
      return printMessage(mailbox, name, message);
    },
  });

const send = command({
  name: 'send',
  summary: 'send mail from this mailbox',
  examples: [
    'rouse mail send --address ana@houmao.localhost --to ben@houmao.localhost --subject done --body-content "all green"',
    'git diff | rouse mail send --address ana@houmao.localhost --to ben@houmao.localhost --subject review',
  ],
  flags: [
    { name: 'to', value: 'ADDRESS', summary: 'recipient; may be repeated', many: true, required: true },
    { name: 'cc', value: 'ADDRESS', summary: 'further recipient; may be repeated', many: true },
    { name: 'subject', value: 'TEXT', summary: 'one line', required: true },
    ...BODY,
  ],
  async run(mailbox, input) {
    const draft = { to: many(input, 'to'), cc: many(input, 'cc'), subject: text(input, 'subject')! };
    return printSent(mailbox, 'send', await mailbox.send({ ...draft, ...(await outgoing(input)) }));
  },
});

const post = command({
  name: 'post',
  summary: 'leave a note of the operator in this mailbox',
  examples: [
    'rouse mail post --address ana@houmao.localhost --subject "before you go on" --body-content "the build is red"',
  ],
  flags: [
    { name: 'subject', value: 'TEXT', summary: 'one line', required: true },
    {
      name: 'reply-policy',
      value: 'POLICY',
      summary: 'whether the agent can answer',
      choices: REPLY_POLICIES,
      default: 'operator_mailbox',
    },
    ...BODY,
  ],
  async run(mailbox, input) {
    const reply_policy = input.flags['replyPolicy'] as (typeof REPLY_POLICIES)[number];
    const note = { subject: text(input, 'subject')!, reply_policy, ...(await outgoing(input)) };
    return printSent(mailbox, 'post', await mailbox.post(note));
  },
});

const reply = command({
  name: 'reply',
  summary: 'answer a message; it is then read and answered',
  examples: [
    'rouse mail reply --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef --body-content "done"',
  ],
  flags: [MESSAGE, ...BODY],
  async run(mailbox, input) {
    const message_ref = text(input, 'messageRef')!;
    return printSent(mailbox, 'reply', await mailbox.reply({ message_ref, ...(await outgoing(input)) }));
  },
});

const mark = command({
  name: 'mark',
  summary: 'set or clear flags',
  examples: [
    'rouse mail mark --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef --read',
  ],
  flags: [
    MESSAGES,
    { name: 'read', summary: 'read', negatable: true, opposite: 'unread' },
    { name: 'answered', summary: 'answered', negatable: true, opposite: 'unanswered' },
    { name: 'archived', summary: 'in the archive', negatable: true, opposite: 'unarchived' },
  ],
  async run(mailbox, input) {
    const flags = {
      read: flag(input, 'read'),
      answered: flag(input, 'answered'),
      archived: flag(input, 'archived'),
    };
    if (Object.values(flags).every((value) => value === undefined)) {
      throw invalid(
        'mark needs at least one of --read, --unread, --answered, --unanswered, --archived, --unarchived',
      );
    }
    const message_refs = many(input, 'messageRef');
    return printChanged(mailbox, 'mark', await mailbox.mark({ message_refs, ...flags }));
  },
});

const move = command({
  name: 'move',
  summary: 'put messages into another box',
  examples: [
    'rouse mail move --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef --destination-box later',
  ],
  flags: [MESSAGES, { name: 'destination-box', value: 'BOX', summary: 'where to; any name', required: true }],
  async run(mailbox, input) {
    const moved = await mailbox.move(many(input, 'messageRef'), text(input, 'destinationBox')!);
    return printChanged(mailbox, 'move', moved);
  },
});

const archive = command({
  name: 'archive',
  summary: 'put away what is done; it is then read',
  examples: [
    'rouse mail archive --address ana@houmao.localhost --message-ref filesystem:msg-20260131T090000Z-0123456789abcdef0123456789abcdef',
  ],
  flags: [MESSAGES],
  async run(mailbox, input) {
    return printChanged(mailbox, 'archive', await mailbox.archive(many(input, 'messageRef')));
  },
});

const search = command({
  name: 'search',
  summary: 'find words in subjects and bodies',
  description:
    'All words must occur; "quoted words" must follow each other; word* finds every word that begins so.',
  examples: ['rouse mail search "deploy failed" --address ana@houmao.localhost'],
  args: [{ name: 'words', summary: 'what to look for', variadic: true }],
  flags: [{ ...BOX, summary: 'only in this box' }, { ...LIMIT, default: 50 }, INCLUDE_BODY],
  async run(mailbox, input) {
    const words = input.args.map((word) => (/\s/.test(word) && !word.includes('"') ? `"${word}"` : word));
    const page = await mailbox.search({
      text: words.join(' '),
      box: text(input, 'box') ?? null,
      limit: input.flags['limit'] as number,
      include_body: flag(input, 'includeBody') ?? false,
    });
    return printPage(mailbox, 'search', page);
  },
});

const watch: Command = {
  name: 'watch',
  summary: 'tell of new mail as it comes, until interrupted',
  examples: ['rouse mail watch --address ana@houmao.localhost'],
  flags: [
    { ...BOX, summary: 'which box', default: 'inbox' },
    { name: 'once', summary: 'end after the first news' },
    ...MAILBOX_FLAGS,
  ],
  run: (input) => withMailbox(input, (mailbox) => watchMail(mailbox, input)),
};

const mail: Command = {
  name: 'mail',
  summary: 'read and write mail of one mailbox',
  description:
    'Works on the mail store itself; no gateway is needed. See "rouse agents mail" for the mail of a running agent.',
  subcommands: [
    status,
    list,
    one('peek', 'show a message without marking it read'),
    one('read', 'show a message and mark it read'),
    send,
    post,
    reply,
    mark,
    move,
    archive,
    search,
    watch,
  ],
};

export default mail;
