import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { wholeNumber } from '../input/flag-values.ts';
import { COMPAT, holding, knownStatuses, MAILBOX, MESSAGE_IDS, open, TIMEOUT, waiting } from './input.ts';

const DAY_MS = 86_400_000;

async function archive(input: InputOf<typeof ARCHIVE_FLAGS>): Promise<Output> {
  const box = await open(input);
  const { msgId: refs, olderThanDays: days } = input.flags;
  const before = days === undefined ? undefined : new Date(Date.now() - days * DAY_MS);
  const statuses = await knownStatuses(input);
  waiting(input);
  const moved = await box.archive({ refs, statuses, before }, holding(input));
  const data = { mailbox: box.paths.mailbox, archive: box.paths.archive, archived: moved };
  return { data, plain: `${moved.length} archived in ${box.paths.archive}` };
}

const ARCHIVE_FLAGS = [
  MAILBOX,
  MESSAGE_IDS,
  { name: 'status', value: 'status', summary: 'all messages of this status', many: true },
  {
    name: 'older-than-days',
    value: 'n',
    summary: 'all messages older than this many days',
    parse: wholeNumber(0),
  },
  COMPAT,
  TIMEOUT,
] as const satisfies readonly Flag[];

export const mailfileArchive = command({
  name: 'archive',
  summary: 'move messages to the archive file beside the mailbox',
  examples: [
    'rouse mailfile archive --mailbox .agent/inbox.md --msg-id ana-1',
    'rouse mailfile archive --mailbox .agent/inbox.md --status actioned --status stale --older-than-days 14',
  ],
  flags: ARCHIVE_FLAGS,
  run: archive,
});
