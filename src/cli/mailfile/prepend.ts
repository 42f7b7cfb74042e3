import { invalid } from '../../base/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { readTextFile } from '../input/text-file.ts';
import { COMPAT, flatfile, holding, MAILBOX, open, TIMEOUT, waiting } from './input.ts';

async function messageText(input: InputOf<typeof PREPEND_FLAGS>): Promise<string> {
  const file = input.flags.messageFile;
  if (typeof file === 'string' && file !== '-') return readTextFile('--message-file', file);
  if (input.stdinIsTty) {
    throw invalid('no message: pass it on standard input or with --message-file', {
      hint: 'rouse mailfile prepend --mailbox .agent/inbox.md < message.md',
    });
  }
  return input.stdin();
}

async function prepend(input: InputOf<typeof PREPEND_FLAGS>): Promise<Output> {
  const { parseFlatMessage } = await flatfile();
  const message = parseFlatMessage(await messageText(input));
  const box = await open(input);
  waiting(input);
  const data = await box.prepend(message, {
    ...holding(input),
    generateId: input.flags.generateId === true,
  });
  await box.idle();
  for (const warning of data.warnings) input.err(`warning: ${warning}\n`);
  return { data, plain: data.msg_id === null ? data.result : `${data.result} ${data.msg_id}` };
}

const PREPEND_FLAGS = [
  MAILBOX,
  {
    name: 'message-file',
    value: 'path',
    summary: 'read the message from this file (- for standard input)',
  },
  { name: 'generate-id', summary: 'give the message a msg-id when it has none' },
  COMPAT,
  TIMEOUT,
] as const satisfies readonly Flag[];

export const mailfilePrepend = command({
  name: 'prepend',
  summary: 'put one message on top of a mailbox, exactly once',
  description:
    'Takes a message (--- lines around from, to, re and other fields, then the body) from standard input or a ' +
    'file and puts it on top, below the file header. created and status are filled in when missing. ' +
    'A msg-id that is already there with the same content is reported as "duplicate" (exit code 0), with other content ' +
    'as a conflict (exit code 4). If the lock is not free in time, the exit code is 7. In each of these cases the file is unchanged.',
  examples: [
    'rouse mailfile prepend --mailbox .agent/inbox.md < message.md',
    'rouse mailfile prepend --mailbox .agent/outbox.md --message-file message.md --generate-id',
  ],
  flags: PREPEND_FLAGS,
  run: prepend,
});
