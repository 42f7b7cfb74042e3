import { invalid, notFound } from '../../base/index.ts';
import type { Flag, Input } from '../command.ts';
import { notBlank, positiveSeconds } from '../input/flag-values.ts';

/** What the commands on flat files have in common. */

export const MAILBOX: Flag = {
  name: 'mailbox',
  value: 'path',
  summary: 'the mailbox file, such as .agent/inbox.md',
  required: true,
  parse: notBlank,
};
export const TIMEOUT: Flag = {
  name: 'timeout-seconds',
  value: 'seconds',
  summary: 'give up if the lock is not free after this long (exit code 7)',
  parse: positiveSeconds,
  default: 30,
};
export const COMPAT: Flag = {
  name: 'compat-lock',
  summary:
    'also take /tmp/foundry-mailbox-<sha256 of the real path>.lock, for scripts that only know that one',
};
export const MESSAGE_IDS: Flag = {
  name: 'msg-id',
  value: 'id',
  summary: 'the message: its msg-id, or the ~name that list shows for one without',
  many: true,
  parse: notBlank,
};

export const room = () => import('../../mail/index.ts');

export async function open(input: Input) {
  const { FlatFile } = await room();
  return new FlatFile(String(input.flags['mailbox']));
}

export function holding(input: Input) {
  return {
    timeoutMs: Number(input.flags['timeoutSeconds'] ?? 30) * 1000,
    compatLock: input.flags['compatLock'] === true,
    signal: input.signal,
  };
}

/** Says what is being waited for, once it takes a while. */
export function waiting(input: Input): void {
  input.progress(`waiting for the lock of ${String(input.flags['mailbox'])}`);
}

export const noMailbox = (file: string): Error =>
  notFound(`no mailbox ${file}`, { hint: 'the first "rouse mailfile prepend" makes it' });

/** The --status values, undefined when there are none; `invalid` for one that no message can be given. */
export async function knownStatuses(input: Input): Promise<string[] | undefined> {
  const { requireStatus } = await room();
  return (input.flags['status'] as string[] | undefined)?.map((each) => requireStatus(each, '--status'));
}

export function ids(input: Input): string[] {
  const given = (input.flags['msgId'] as string[] | undefined) ?? [];
  if (given.length === 0) throw invalid('--msg-id is missing: name at least one message');
  return given;
}

export function oneId(input: Input): string {
  const given = ids(input);
  if (given.length > 1) throw invalid('--msg-id must name one message');
  return given[0]!;
}
