import { commandLine } from '../../base/index.ts';
import { RECEIPT_STAGES } from '../../domain/index.ts';
import type { MailReceipt } from '../../wire/index.ts';
import { sessionContext } from '../agents/target.ts';
import type { Input, Output } from '../command.ts';
import { shownTime } from '../print/shown-time.ts';
import { table } from '../print/table.ts';
import type { Numbered, Reader } from './my-mail.ts';
import { orNothing } from './my-mail.ts';
import { shortAddress } from './print-mail.ts';

/** How far each message is; without an entry, nothing is known: its recipients are elsewhere. */
export async function receiptsOfAll(
  input: Input,
  refs: readonly string[],
): Promise<Map<string, MailReceipt[]>> {
  if (refs.length === 0) return new Map();
  const { receiptsOfEach } = await import('../../session/index.ts');
  return (await orNothing(receiptsOfEach(sessionContext(input), refs))) ?? new Map();
}

/** `ana: read, ben: stored`. */
export const receiptWords = (receipts: readonly MailReceipt[], reader: string): string =>
  receipts
    .map(
      ({ agent, address, stage }) =>
        `${agent ?? shortAddress({ address }, reader)}: ${RECEIPT_STAGES[stage].words}`,
    )
    .join(', ');

/** What the reader sent, with the receipts of each. */
export async function sentMail(
  input: Input,
  reader: Reader,
  { listed, more, limit }: { listed: readonly Numbered[]; more: boolean; limit: number },
): Promise<Output> {
  const receipts = await receiptsOfAll(
    input,
    listed.map(({ message }) => message.message_ref),
  );
  const of = ({ message }: Numbered): MailReceipt[] => receipts.get(message.message_ref) ?? [];
  const data = {
    address: reader.address,
    box: 'sent',
    messages: listed.map((each) => ({ number: each.number, ...each.message, receipts: of(each) })),
    truncated: more,
  };
  if (listed.length === 0) return { data, plain: 'You have sent no mail.' };
  const rows = table(
    listed,
    [
      { title: 'nr', value: ({ number }) => number, right: true },
      { title: 'when', value: ({ message }) => shownTime(message.created_at_utc, input) },
      { title: 'receipts', value: (each) => receiptWords(of(each), reader.address) || '–', max: 40, min: 12 },
      { title: 'subject', value: ({ message }) => message.subject, min: 16 },
    ],
    { columns: input.outSize()?.columns },
  );
  const rest = more ? ['', `There is more: "${commandLine`rouse inbox --sent --limit ${limit * 4}`}"`] : [];
  return { data, plain: ['Sent by you', '', rows, ...rest].join('\n') };
}
