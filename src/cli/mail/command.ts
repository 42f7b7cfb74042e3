import type { Mailbox } from '../../mail/index.ts';
import type { Command, Flag, Input, Output } from '../command.ts';
import { MAILBOX_FLAGS, withMailbox } from './store-flags.ts';

type Run = (mailbox: Mailbox, input: Input) => Promise<Output>;

/** A command on one mailbox: the flags that choose it are added, and it is closed afterwards. */
export function command(parts: Omit<Command, 'run'> & { run: Run }): Command {
  const { run, flags = [], ...rest } = parts;
  return {
    ...rest,
    flags: [...flags, ...MAILBOX_FLAGS],
    run: (input) => withMailbox(input, (mailbox) => run(mailbox, input)),
  };
}

export const text = (input: Input, name: string): string | undefined =>
  input.flags[name] as string | undefined;
export const flag = (input: Input, name: string): boolean | undefined =>
  input.flags[name] as boolean | undefined;
export const many = (input: Input, name: string): string[] =>
  (input.flags[name] as string[] | undefined) ?? [];

export const MESSAGE: Flag = { name: 'message-ref', value: 'REF', summary: 'which message', required: true };
export const MESSAGES: Flag = { ...MESSAGE, summary: 'which message; may be repeated', many: true };
export const BOX: Flag = { name: 'box', value: 'BOX', summary: 'the box it must be in' };
