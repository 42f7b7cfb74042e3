import { sleep, systemClock } from '../../base/index.ts';
import { AWAITED_RECEIPTS, type AwaitedReceipt, RECEIPT_STAGES } from '../../domain/index.ts';
import { CODES } from '../../wire/codes.ts';
import type { MailReceipt } from '../../wire/index.ts';
import { sessionContext } from '../agents/target.ts';
import { command, type Flag, type Input, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { durationSeconds } from '../input/flag-values.ts';
import { table } from '../print/table.ts';
import type { MailAnswer } from './door.ts';

export const RECEIPT_FLAGS = [
  {
    name: 'wait',
    value: 'RECEIPT',
    summary: `wait until every recipient has it: ${AWAITED_RECEIPTS.map((each) => `${each} (${RECEIPT_STAGES[each].help})`).join(', ')}`,
    choices: AWAITED_RECEIPTS,
  },
  {
    name: 'timeout',
    value: 'TIME',
    summary: 'with --wait: give up after this long, such as 10m; exit code 5 then',
    parse: durationSeconds,
  },
] as const satisfies readonly Flag[];

/** A commit of the ledger and its files are seen in bursts; one look covers them. */
const SETTLE_MS = 100;

/** The receipts of a message that was just sent, once all recipients have reached the stage or the time is over. */
export async function waitForReceipts(
  input: Input,
  sent: MailAnswer,
  { wait, timeout }: { wait: AwaitedReceipt; timeout: number | undefined },
): Promise<{ receipts: MailReceipt[]; reached: boolean }> {
  const { followReceipts, hasReached, receiptsOf } = await import('../../session/receipts.ts');
  const context = sessionContext(input);
  const ref = String(
    (sent['message'] as { message_ref?: unknown } | undefined)?.message_ref ?? sent['message_ref'],
  );
  const over = new AbortController();
  const signal = AbortSignal.any([input.signal, over.signal]);
  let changed: () => void = () => {};
  const stop = followReceipts(context, () => changed());
  input.progress(`waiting until it is ${RECEIPT_STAGES[wait].words}`);
  if (timeout !== undefined) void sleep(systemClock, timeout * 1000, signal).then(() => over.abort());
  try {
    for (;;) {
      const next = new Promise<void>((resolve) => {
        changed = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      const receipts = await receiptsOf(context, ref);
      const reached = receipts.length > 0 && receipts.every((each) => hasReached(each, wait));
      if (reached || signal.aborted) return { receipts, reached };
      await next;
      await sleep(systemClock, SETTLE_MS, signal);
    }
  } finally {
    over.abort();
    stop();
  }
}

export const receiptLines = (receipts: readonly MailReceipt[]): string =>
  table(receipts, [
    { title: 'to', value: ({ agent, address }) => agent ?? address },
    { title: 'receipt', value: ({ stage }) => RECEIPT_STAGES[stage].words },
    { title: 'read', value: ({ read }) => (read ? 'yes' : 'no') },
    { title: 'answered', value: ({ answered }) => (answered ? 'yes' : 'no') },
  ]);

export const NOT_REACHED = CODES.not_ready.exit;

async function run(input: Input): Promise<Output> {
  const { receiptsOf } = await import('../../session/receipts.ts');
  const receipts = await receiptsOf(sessionContext(input), input.args[0]!);
  return {
    data: { message_ref: input.args[0], receipts },
    plain: receipts.length > 0 ? receiptLines(receipts) : 'No recipient has its mailbox in this home.',
  };
}

export const receipts = command({
  ...FIRST_WORDS.receipts,
  description:
    'Each stage is stored by the one who did it: "announced" is a wake that was proven to be submitted, "read" and ' +
    '"answered" are marks in the reader\'s own mailbox. Nothing is inferred.',
  examples: ['rouse receipts filesystem:msg-20260416T091402Z-0123456789abcdef0123456789abcdef'],
  args: [{ name: 'message', names: 'message', summary: 'reference of a message, as "rouse send" prints it' }],
  flags: [],
  run,
});
