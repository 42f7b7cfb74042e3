import { commandLine, invalid } from '../../base/index.ts';
import type { MailMessage } from '../../domain/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { LIMIT, SINCE } from '../mail/flags.ts';
import { numbered, orNothing, readerOf } from './my-mail.ts';
import { mailHead, mailTable } from './print-mail.ts';
import { sentMail } from './sent-mail.ts';

const FLAGS = [
  { name: 'unread', short: 'u', summary: 'only unread mail' },
  { name: 'archived', summary: 'the archive instead of the inbox' },
  { name: 'sent', summary: 'what you sent, and how far it is with each recipient' },
  SINCE,
  { ...LIMIT, short: 'n', summary: 'maximum number to show', default: 30 },
] as const satisfies readonly Flag[];

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { unread, archived, sent, since, limit } = input.flags;
  if (sent && (archived || unread)) throw invalid('--sent goes with neither --archived nor --unread');
  const reader = await readerOf(input);
  const box = sent ? 'sent' : archived ? 'archive' : 'inbox';
  const body = { box, limit, ...(since !== undefined && { since }), ...(unread && { read_state: 'unread' }) };
  const answer = await orNothing(reader.ask('list', body));
  const messages = (answer?.['messages'] ?? []) as MailMessage[];
  const listed = await numbered(
    input,
    reader,
    messages.map((message) => ({ mailbox: reader.address, message })),
  );
  const more = answer?.['next_cursor'] != null;
  if (sent) return sentMail(input, reader, { listed, more, limit });
  const counts = { open: Number(answer?.['open_count'] ?? 0), unread: Number(answer?.['unread_count'] ?? 0) };
  const head = archived
    ? `Your archive${listed.length === 0 ? ' is empty.' : ''}`
    : mailHead({ ...counts, more });
  const data = {
    address: reader.address,
    box,
    messages: listed.map(({ number, message }) => ({ number, ...message })),
    truncated: more,
  };
  if (listed.length === 0) return { data, plain: unread ? 'No unread mail.' : head };
  const first = listed[0]!.number;
  const next = archived
    ? `"${commandLine`rouse read ${first}`}" shows one, "${commandLine`rouse archive --undo ${first}`}" brings it back`
    : `"${commandLine`rouse read ${first}`}" shows one, "${commandLine`rouse reply ${first}`}" answers it, "${commandLine`rouse archive ${first}`}" puts it away`;
  const rest = more ? [`There is more: "${commandLine`rouse inbox --limit ${limit * 4}`}"`] : [];
  return { data, plain: [head, '', mailTable(listed, reader.address, input), '', ...rest, next].join('\n') };
}

export const inbox = command({
  ...FIRST_WORDS.inbox,
  description:
    'Mail that agents sent to you, newest first; inside the session of an agent, the mail of that agent. * is unread, r is answered. ' +
    'A number belongs to its message for good. "rouse mail list" shows any mailbox.',
  examples: [
    'rouse inbox',
    'rouse inbox --unread',
    'rouse inbox --archived --since 7d',
    'rouse inbox --sent',
  ],
  flags: FLAGS,
  run,
});
