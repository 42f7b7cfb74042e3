import * as path from 'node:path';
import { invalid } from '../../base/index.ts';
import type { LaunchOptions } from '../../session/index.ts';
import type { Flag } from '../command.ts';

export function absoluteDirectory(text: string): string {
  if (text.trim() === '') throw invalid('must not be blank');
  return path.resolve(text);
}

export const MAILBOX_ROOT: Flag = {
  name: 'mailbox-root',
  value: 'PATH',
  summary: 'mail store to register it in, or a flat mailbox DIR/.agent/inbox.md',
  parse: absoluteDirectory,
};

export const MAILBOX_FLAGS: Flag[] = [
  { name: 'mailbox', summary: 'give it a mailbox of its own (default)', negatable: true },
  MAILBOX_ROOT,
  { name: 'mailbox-address', value: 'ADDRESS', summary: 'mail address (default: <name>@houmao.localhost)' },
];

export function mailboxOption(flags: Record<string, unknown>): LaunchOptions['mailbox'] {
  const root = flags['mailboxRoot'] as string | undefined;
  const address = flags['mailboxAddress'] as string | undefined;
  if (flags['mailbox'] !== false) return { root, address };
  if (root === undefined && address === undefined) return false;
  throw invalid('--no-mailbox excludes --mailbox-root and --mailbox-address');
}
