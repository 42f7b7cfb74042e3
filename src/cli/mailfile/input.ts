import { commandLine, invalid, notFound } from '../../base/index.ts';
import type { Flag, FlagsOf, Input, InputOf } from '../command.ts';
import { notBlank, positiveSeconds } from '../input/flag-values.ts';

/** What the commands on flat files have in common. */

export const MAILBOX = {
  name: 'mailbox',
  value: 'path',
  summary: 'the mailbox file, such as .agent/inbox.md',
  required: true,
  parse: notBlank,
} as const satisfies Flag;
export const TIMEOUT = {
  name: 'timeout-seconds',
  value: 'seconds',
  summary: 'give up if the lock is not free after this long (exit code 7)',
  parse: positiveSeconds,
  default: 30,
} as const satisfies Flag;
export const COMPAT = {
  name: 'compat-lock',
  summary:
    'in an .agent directory, also take /tmp/foundry-mailbox-<sha256 of the real path>.lock; outside of one it is always taken',
} as const satisfies Flag;
export const MESSAGE_IDS = {
  name: 'msg-id',
  value: 'id',
  summary: 'the message: its msg-id, or the ~name that list shows for one without',
  many: true,
  parse: notBlank,
} as const satisfies Flag;

export const flatfile = () => import('../../mail/flatfile/index.ts');

type MailboxInput = InputOf<readonly [typeof MAILBOX]>;

export async function open(input: MailboxInput) {
  const { FlatFile } = await flatfile();
  return new FlatFile(input.flags.mailbox);
}

export function holding(
  input: Input<FlagsOf<readonly [typeof TIMEOUT]> & Partial<FlagsOf<readonly [typeof COMPAT]>>>,
) {
  return {
    timeoutMs: input.flags.timeoutSeconds * 1000,
    compatLock: input.flags.compatLock === true,
    signal: input.signal,
  };
}

/** Reports the wait for the lock, once it takes a while. */
export function waiting(input: MailboxInput): void {
  input.progress(`waiting for the lock of ${input.flags.mailbox}`);
}

export const noMailbox = (file: string): Error =>
  notFound(`no mailbox ${file}`, {
    hint: `the first message creates it: ${commandLine`rouse mailfile prepend --mailbox ${file}`}`,
  });

/** The --status values, undefined when there are none; `invalid` for one that no message can be given. */
export async function knownStatuses(
  input: Input<{ status: string[] | undefined }>,
): Promise<string[] | undefined> {
  const { requireStatus } = await flatfile();
  return input.flags.status?.map((each) => requireStatus(each, '--status'));
}

export function ids(input: InputOf<readonly [typeof MESSAGE_IDS]>): string[] {
  const given = input.flags.msgId ?? [];
  if (given.length === 0) throw invalid('--msg-id is missing: name at least one message');
  return given;
}

export function oneId(input: InputOf<readonly [typeof MESSAGE_IDS]>): string {
  const given = ids(input);
  if (given.length > 1) throw invalid('--msg-id must name one message');
  return given[0]!;
}
