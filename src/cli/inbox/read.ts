import { commandLine } from '../../base/index.ts';
import { type MailMessage, OPERATOR } from '../../domain/index.ts';
import { command, type Input, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { messageText } from '../mail/print.ts';
import { findMails, type NamedMail } from './find-mail.ts';
import { noSuchMail, numbered, orNothing, type Reader, readerOf, withHostMail } from './my-mail.ts';
import { receiptsOfAll, receiptWords } from './sent-mail.ts';

async function run(input: Input): Promise<Output> {
  const reader = await readerOf(input);
  const mails = await findMails(input, reader, input.args);
  const read: { mailbox: string; message: MailMessage }[] = [];
  for (const mail of mails) read.push({ mailbox: mail.mailbox, message: await shown(input, reader, mail) });
  const listed = await numbered(input, reader, read);
  const own = read.filter(({ message }) => message.sender.address === reader.address);
  const receipts = await receiptsOfAll(
    input,
    own.map(({ message }) => message.message_ref),
  );
  const texts = listed.map(({ number, message, mailbox }) => {
    const next =
      mailbox === reader.address && message.sender.address !== reader.address
        ? `"${commandLine`rouse reply ${number}`}" answers it, "${commandLine`rouse archive ${number}`}" puts it away`
        : undefined;
    const far = receiptWords(receipts.get(message.message_ref) ?? [], reader.address);
    return [
      messageText({ message }, input),
      ...(far ? ['', `Receipts: ${far}`] : []),
      ...(next ? ['', next] : []),
    ].join('\n');
  });
  return {
    data: {
      messages: listed.map(({ number, mailbox, message }) => {
        const known = receipts.get(message.message_ref);
        return { number, mailbox, ...message, ...(known && { receipts: known }) };
      }),
    },
    plain: texts.join(`\n${'─'.repeat(40)}\n`),
  };
}

/** Reads the reader's own mail; mail of others is looked at, and stays unread there. */
export async function shown(input: Input, reader: Reader, mail: NamedMail): Promise<MailMessage> {
  const { ref, mailbox, isMine, word } = mail;
  const found = isMine
    ? (await orNothing(reader.ask('read', { message_ref: ref })))?.['message']
    : await withHostMail(input, (host) => orNothing(host.open(mailbox, (each) => each.peek(ref))));
  if (!found) throw noSuchMail(word);
  return found as MailMessage;
}

export const read = command({
  ...FIRST_WORDS.read,
  description: `Your own mail is marked read. Mail of an agent, as "rouse search WORDS" finds it, is only shown: it stays unread for that agent.
A message is named by its number, by its reference, or by the beginning of one. Mail for you is kept at ${OPERATOR.address}.`,
  examples: ['rouse read 3', 'rouse read 3 7'],
  args: [{ name: 'mail', variadic: true, summary: 'number of a message, or its reference' }],
  flags: [],
  run,
});
