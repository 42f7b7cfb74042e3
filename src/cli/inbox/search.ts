import { commandLine } from '../../base/index.ts';
import type { MailMessage } from '../../domain/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { searchText } from '../mail/commands.ts';
import { BOX, LIMIT, SINCE } from '../mail/flags.ts';
import { plural } from '../mail/print.ts';
import { numbered, type Reader, readerOf, withHostMail } from './my-mail.ts';
import { mailTable } from './print-mail.ts';

const FLAGS = [
  SINCE,
  { ...BOX, summary: 'only in this box' },
  { ...LIMIT, short: 'n', summary: 'maximum number to show', default: 50 },
] as const satisfies readonly Flag[];

type Found = { mailbox: string; message: MailMessage };

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const reader = await readerOf(input);
  const found = reader.isAgent ? await inOne(input, reader) : await inAll(input);
  const { since, limit } = input.flags;
  const from = since === undefined ? 0 : Date.parse(since);
  const young = found.filter(({ message }) => Date.parse(message.created_at_utc) >= from);
  const listed = await numbered(input, reader, young.slice(0, limit));
  const data = {
    messages: listed.map(({ number, mailbox, message }) => ({ number, mailbox, ...message })),
    truncated: found.length > limit,
  };
  if (listed.length === 0) return { data, plain: `No mail has ${searchText(input)}.` };
  const head = `${plural(listed.length, 'mail')}${data.truncated ? '; there is more: --limit' : ''}`;
  const next = `"${commandLine`rouse read ${listed[0]!.number}`}" shows one`;
  return { data, plain: [head, '', mailTable(listed, reader.address, input), '', next].join('\n') };
}

async function inOne(input: InputOf<typeof FLAGS>, reader: Reader): Promise<Found[]> {
  const { box, limit } = input.flags;
  const { messages } = await reader.ask('search', { text: searchText(input), box, limit: limit + 1 });
  return (messages as MailMessage[]).map((message) => ({ mailbox: reader.address, message }));
}

function inAll(input: InputOf<typeof FLAGS>): Promise<Found[]> {
  const { box, limit } = input.flags;
  const wanted = { box: box ?? null, q: searchText(input), unread: false, cursor: null, limit: limit + 1 };
  return withHostMail(input, async (mail) => {
    for (const { address, trouble } of (await mail.list()).mailboxes)
      if (trouble !== null) input.err(`note: ${address} was not searched: ${trouble}\n`);
    return (await mail.all(wanted)).listed;
  });
}

export const search = command({
  ...FIRST_WORDS.search,
  description:
    "Searches your mailbox and those of all agents of this host, newest first; inside the session of an agent, that agent's mailbox. " +
    'All words must occur; "quoted words" must follow each other; word* finds every word that begins with it.',
  examples: ['rouse search parser', 'rouse search "deploy failed" --since 7d'],
  args: [{ name: 'words', variadic: true, summary: 'what to look for' }],
  flags: FLAGS,
  run,
});
