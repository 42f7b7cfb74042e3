import { commandLine, unsupported } from '../../base/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { plural } from '../mail/print.ts';
import { findMails } from './find-mail.ts';
import { readerOf } from './my-mail.ts';

const FLAGS = [
  { name: 'undo', summary: 'bring the messages back into the inbox' },
] as const satisfies readonly Flag[];

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { undo } = input.flags;
  const reader = await readerOf(input);
  const mails = await findMails(input, reader, input.args);
  const foreign = mails.find(({ isMine }) => !isMine);
  if (foreign)
    throw unsupported(
      `mail ${foreign.word} is in the mailbox of ${foreign.mailbox}, not in yours; nothing was archived`,
      {
        hint: `archive it there: ${commandLine`rouse mail archive --address ${foreign.mailbox} --message-ref ${foreign.ref}`}`,
      },
    );
  const message_refs = mails.map(({ ref }) => ref);
  const data = undo
    ? await reader.ask('mark', { message_refs, archived: false })
    : await reader.ask('archive', { message_refs });
  const plain = undo
    ? `Back in the inbox: ${plural(mails.length, 'mail')}`
    : `Archived ${plural(mails.length, 'mail')}; "${commandLine`rouse archive --undo ${input.args}`}" brings ${mails.length === 1 ? 'it' : 'them'} back`;
  return { data, plain };
}

export const archive = command({
  ...FIRST_WORDS.archive,
  examples: ['rouse archive 3 7', 'rouse archive --undo 3'],
  args: [{ name: 'mail', variadic: true, summary: 'number of a message, or its reference' }],
  flags: FLAGS,
  run,
});
