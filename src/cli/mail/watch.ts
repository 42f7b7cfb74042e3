import type { MailMessage } from '../../domain/index.ts';
import type { Mailbox } from '../../mail/index.ts';
import type { Flag, Input, InputOf } from '../command.ts';
import { BOX } from './flags.ts';
import { messageTable, plural } from './print.ts';

export const WATCH_FLAGS = [
  { ...BOX, summary: 'which box', default: 'inbox' },
  { name: 'once', summary: 'end after the first event' },
] as const satisfies readonly Flag[];

const PAGE = 200;

/** Prints new mail of a box as it arrives, as JSON one object per line. Ends when interrupted. */
export async function watchMail(mailbox: Mailbox, input: InputOf<typeof WATCH_FLAGS>): Promise<void> {
  const box = input.flags.box;
  const known = new Set<string>();
  const fresh = async (): Promise<MailMessage[]> => {
    const { messages } = await mailbox.list({ box, limit: PAGE });
    const news = messages.filter(({ message_ref: ref }) => !known.has(ref));
    for (const { message_ref: ref } of news) known.add(ref);
    return news.reverse();
  };

  let wake: () => void = () => {};
  let pending = false;
  const stop = await mailbox.watch(() => {
    pending = true;
    wake();
  });
  try {
    await fresh();
    const { unread_count: unread } = await mailbox.count({ box });
    input.err(`watching ${box} of ${mailbox.address} (${plural(unread, 'unread message')})\n`);
    input.signal.addEventListener('abort', () => wake());
    while (!input.signal.aborted) {
      if (!pending) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      pending = false;
      const news = await fresh();
      if (news.length === 0) continue;
      for (const message of news) printMessage(message, input);
      if (input.flags.once) return;
    }
  } finally {
    stop();
  }
}

function printMessage(message: MailMessage, input: Input): void {
  if (input.style === 'json') {
    input.out(`${JSON.stringify({ event: 'message', message })}\n`);
    return;
  }
  const [, line] = messageTable([message], input).split('\n');
  input.out(`${line}\n`);
}
