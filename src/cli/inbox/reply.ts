import { commandLine, invalid, unsupported } from '../../base/index.ts';
import type { MailMessage } from '../../domain/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { BODY_FLAGS, bodyText } from '../input/body-text.ts';
import { attachments } from '../mail/commands.ts';
import { ATTACHMENT_FLAGS } from '../mail/flags.ts';
import { sentText } from '../mail/print.ts';
import { harmless } from '../print/terminal-text.ts';
import { findMails } from './find-mail.ts';
import { readerOf } from './my-mail.ts';
import { shortAddress } from './print-mail.ts';

const FLAGS = [...BODY_FLAGS, ...ATTACHMENT_FLAGS] as const satisfies readonly Flag[];

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const [word = '', ...text] = input.args;
  const reader = await readerOf(input);
  const [mail] = await findMails(input, reader, [word]);
  const { ref, isMine, mailbox } = mail!;
  if (!isMine)
    throw unsupported(`mail ${word} is in the mailbox of ${mailbox}, so only its agent can reply to it`, {
      hint: `write to the agent instead: ${commandLine`rouse send ${shortAddress({ address: mailbox }, reader.address)} "..."`}`,
    });
  const { message } = (await reader.ask('peek', { message_ref: ref })) as unknown as { message: MailMessage };
  const body = await replyText(input, text, message);
  const data = await reader.ask('reply', {
    message_ref: ref,
    body_content: body,
    ...attachments(input.flags),
  });
  return { data, plain: await sentText(data) };
}

async function replyText(
  input: InputOf<typeof FLAGS>,
  [text, another]: string[],
  message: MailMessage,
): Promise<string> {
  if (another !== undefined)
    throw invalid('the text is one argument', { hint: 'put it in quotes: rouse reply 3 "the text"' });
  if (text === undefined) return bodyText(input, quoted(message));
  if (input.flags.body !== undefined || input.flags.bodyFile !== undefined)
    throw invalid('the text and --body or --body-file exclude each other', {
      hint: 'leave out one of the two',
    });
  return text;
}

/** Someone else's text, in an editor that may be `cat`. */
function quoted({ sender, created_at_utc, subject, body_text }: MailMessage): string[] {
  const lines = (body_text ?? '').split(/\r\n|\n|\r/).map((line) => `> ${line}`);
  return [`${sender.address}, ${created_at_utc}: ${subject}`, '', ...lines].map(harmlessButTabs);
}

const harmlessButTabs = (line: string): string => line.split('\t').map(harmless).join('\t');

export const reply = command({
  ...FIRST_WORDS.reply,
  description:
    'The text is an argument, --body, --body-file or standard input; on a terminal without any of them, $EDITOR opens with the ' +
    'message below the text. The message counts as read and answered.',
  examples: [
    'rouse reply 3 "yes, go ahead"',
    'rouse reply 3 --body-file answer.md',
    'rouse reply 3   # in $EDITOR',
  ],
  args: [
    { name: 'mail', summary: 'number of a message, or its reference' },
    { name: 'text', optional: true, variadic: true, summary: 'the reply' },
  ],
  flags: FLAGS,
  run,
});
