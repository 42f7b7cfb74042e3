import * as path from 'node:path';
import { invalid } from '../../base/index.ts';
import type { LaunchOptions } from '../../session/index.ts';
import type { Flag, FlagsOf } from '../command.ts';

export function absoluteDirectory(text: string): string {
  if (text.trim() === '') throw invalid('must not be blank');
  return path.resolve(text);
}

export const MAILBOX_ROOT = {
  name: 'mailbox-root',
  value: 'PATH',
  summary: 'mail store to register it in, or a flat mailbox DIR/.agent/inbox.md',
  parse: absoluteDirectory,
} as const satisfies Flag;

export const MAILBOX_FLAGS = [
  { name: 'mailbox', summary: 'give it a mailbox of its own (default)', negatable: true },
  MAILBOX_ROOT,
  { name: 'mailbox-address', value: 'ADDRESS', summary: 'mail address (default: <name>@houmao.localhost)' },
] as const satisfies readonly Flag[];

export function mailboxOption(flags: FlagsOf<typeof MAILBOX_FLAGS>): LaunchOptions['mailbox'] {
  const root = flags.mailboxRoot;
  const address = flags.mailboxAddress;
  if (flags.mailbox !== false) return { root, address };
  if (root === undefined && address === undefined) return false;
  throw invalid('--no-mailbox excludes --mailbox-root and --mailbox-address');
}
