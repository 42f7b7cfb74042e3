import { ANSWERED_STATES, READ_STATES } from '../../domain/index.ts';
import type { Command, Flag } from '../command.ts';
import { utcTime, wholeNumber } from '../input/flag-values.ts';
import { keyValues } from '../print/table.ts';
import { BOX, command, flag, MESSAGE, text } from './command.ts';
import { envelope, printMessage, printPage } from './print.ts';
import { MAILBOX_FLAGS, withMailbox } from './store-flags.ts';
import { watchMail } from './watch.ts';

/** Commands that look at a mailbox. Only read changes something: the message is read then. */

const LIMIT: Flag = { name: 'limit', value: 'N', summary: 'maximum number to show', parse: wholeNumber(1) };
const INCLUDE_BODY: Flag = { name: 'include-body', summary: 'with bodies (in JSON)' };

export const status = command({
  name: 'status',
  summary: 'whose mailbox it is, where, and how much is open',
  examples: ['rouse mail status --address ana@houmao.localhost'],
  async run(mailbox) {
    const { warnings, ...facts } = await mailbox.status();
    const lines = keyValues({ ...facts, warnings: warnings.length === 0 ? 'none' : warnings });
    return { data: envelope(mailbox, 'status', { ...facts, warnings }), plain: lines };
  },
});

export const list = command({
  name: 'list',
  summary: 'what is in a box, newest first',
  examples: ['rouse mail list --address ana@houmao.localhost --read-state unread --limit 20'],
  flags: [
    { ...BOX, summary: 'which box; otherwise inbox, with --archived archive' },
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
    {
      name: 'since',
      value: 'TIME',
      summary: 'not older than this, for example 2026-01-31T12:00:00Z',
      parse: utcTime,
    },
    { name: 'cursor', value: 'CURSOR', summary: 'next page: the cursor printed with the previous page' },
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
    return printPage(mailbox, { operation: 'list', flags: input.flags }, page);
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

export const peek = one('peek', 'show a message without marking it read');
export const read = one('read', 'show a message and mark it read');

export const search = command({
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
    return printPage(mailbox, { operation: 'search', flags: input.flags }, page);
  },
});

export const watch: Command = {
  name: 'watch',
  summary: 'print new mail as it arrives, until Ctrl-C',
  examples: ['rouse mail watch --address ana@houmao.localhost'],
  flags: [
    { ...BOX, summary: 'which box', default: 'inbox' },
    { name: 'once', summary: 'end after the first event' },
    ...MAILBOX_FLAGS,
  ],
  run: (input) => withMailbox(input, (mailbox) => watchMail(mailbox, input)),
};
