import { isFromRouse, type MailParticipant, OPERATOR, ROUSE_NAME } from '../../domain/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import type { Input } from '../command.ts';
import { plural } from '../mail/print.ts';
import { painter } from '../print/colour.ts';
import { shownTime } from '../print/shown-time.ts';
import { table } from '../print/table.ts';
import type { Numbered } from './my-mail.ts';

/** `ana` for an agent of this host, `you` for the person, else the address. Never a display name, which its owner chooses. */
export function shortAddress(participant: MailParticipant, reader: string): string {
  const { address } = participant;
  if (isFromRouse(participant)) return ROUSE_NAME;
  if (address === reader) return 'you';
  if (address === OPERATOR.address) return 'operator';
  const local = `@${LOCAL_DOMAIN}`;
  return address.endsWith(local) ? address.slice(0, -local.length) : address;
}

/** Rouse writes from the mailbox of the operator, from which no one else can send. */
function senderOf(sender: Pick<MailParticipant, 'address' | 'display_name'>, reader: string): string {
  const isRouse = sender.address === OPERATOR.address && sender.display_name === 'Rouse';
  return isRouse ? 'Rouse' : shortAddress(sender, reader);
}

/** `*` is unread, `r` answered. */
const mark = ({ unread, answered }: { unread: boolean; answered: boolean }): string =>
  unread ? '*' : answered ? 'r' : ' ';

export function mailTable(mails: readonly Numbered[], reader: string, input: Input): string {
  const paint = painter(input);
  const elsewhere = mails.some(
    ({ mailbox, message }) => mailbox !== reader || message.box !== mails[0]!.message.box,
  );
  return table(
    mails,
    [
      { title: 'nr', value: ({ number }) => number, right: true },
      { title: '', value: ({ message }) => mark(message) },
      { title: 'when', value: ({ message }) => shownTime(message.created_at_utc, input) },
      { title: 'from', value: ({ message }) => senderOf(message.sender, reader), max: 24, min: 8 },
      ...(elsewhere
        ? [
            {
              title: 'in',
              value: ({ mailbox, message }: Numbered) =>
                `${shortAddress({ address: mailbox }, reader)}${message.box === 'inbox' ? '' : ` ${message.box}`}`,
              max: 24,
              min: 8,
            },
          ]
        : []),
      {
        title: 'subject',
        value: ({ message }) => message.subject,
        min: 16,
        paint: (text, { message }) => (message.unread ? paint('bold', text) : text),
      },
    ],
    { columns: input.outSize()?.columns, paintTitle: (line) => paint('dim', line) },
  );
}

/** Counts are those of the page, so with `more` they are lower bounds. */
export function mailHead({ open, unread, more }: { open: number; unread: number; more: boolean }): string {
  if (open === 0) return 'No mail for you.';
  const least = more ? 'More than ' : '';
  return `${least}${plural(open, 'mail')} for you${unread > 0 ? `, ${unread} unread` : ''}`;
}
