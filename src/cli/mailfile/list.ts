import { commandLine } from '../../base/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { wholeNumber } from '../input/flag-values.ts';
import { table } from '../print/table.ts';
import { flatfile, knownStatuses, MAILBOX, noMailbox, open } from './input.ts';
import { asJson } from './message.ts';

async function list(input: InputOf<typeof LIST_FLAGS>): Promise<Output> {
  const { OPEN_STATUSES, statusOf } = await flatfile();
  const box = await open(input);
  const given = await knownStatuses(input);
  const statuses = input.flags.open === true ? [...(given ?? []), ...OPEN_STATUSES] : given;
  const found = box.list({
    where: (fields) => statuses === undefined || statuses.includes(statusOf(fields)),
    limit: input.flags.limit,
    after: input.flags.after,
    includeBody: input.flags.includeBody === true,
  });
  if (!found.exists) throw noMailbox(box.paths.mailbox);
  if (found.damaged > 0)
    input.err(
      `warning: ${found.damaged} damaged envelopes; see "${commandLine`rouse mailfile fsck --mailbox ${box.paths.mailbox}`}"\n`,
    );
  const messages = found.entries.map((entry) => ({
    ...asJson(entry),
    body_preview: entry.preview,
    ...(entry.body === undefined ? {} : { body: entry.body }),
  }));
  const plain = table(messages, [
    { title: 'status', value: (row) => row.status },
    { title: 'created', value: (row) => row.created, max: 20 },
    { title: 'from', value: (row) => row.from, max: 28 },
    { title: 're', value: (row) => row.re, max: 48 },
    { title: 'msg-id', value: (row) => row.ref },
  ]);
  return { data: { messages }, plain: messages.length === 0 ? 'no messages' : plain };
}

const LIST_FLAGS = [
  MAILBOX,
  { name: 'status', value: 'status', summary: 'only messages of this status', many: true },
  { name: 'open', summary: 'only open messages: pending, in-progress, operator-pending' },
  { name: 'limit', value: 'n', summary: 'maximum number to show', parse: wholeNumber(1) },
  { name: 'after', value: 'id', summary: 'only messages after this one in the list' },
  { name: 'include-body', summary: 'with whole bodies (JSON)' },
] as const satisfies readonly Flag[];

export const mailfileList = command({
  name: 'list',
  summary: 'the messages of a mailbox, newest first',
  examples: [
    'rouse mailfile list --mailbox .agent/inbox.md --open',
    'rouse mailfile list --mailbox .agent/inbox.md --limit 20 --print-json',
  ],
  flags: LIST_FLAGS,
  run: list,
});
