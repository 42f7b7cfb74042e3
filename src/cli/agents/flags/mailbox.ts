import * as path from 'node:path';
import { invalid } from '../../../base/index.ts';
import type { LaunchOptions } from '../../../session/index.ts';
import { LOCAL_DOMAIN } from '../../../wire/houmao/index.ts';
import type { Flag, FlagsOf } from '../../command.ts';

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

export const MAILBOX_TRANSPORT = {
  name: 'mailbox-transport',
  value: 'NAME',
  summary:
    'who keeps it: filesystem or flatfile on this host, fleet for the fleet server (default: by --mailbox-root)',
  choices: async () =>
    (await import('../../../mail/transports.ts')).transportNames(({ isAt, isRemote }) => isAt || isRemote),
} as const satisfies Flag;

export const MAILBOX_FLAGS = [
  { name: 'mailbox', summary: 'give it a mailbox of its own (default)', negatable: true },
  MAILBOX_ROOT,
  MAILBOX_TRANSPORT,
  {
    name: 'mailbox-address',
    value: 'ADDRESS',
    summary: `mail address (default: <name>@${LOCAL_DOMAIN}; on a fleet server <name>@<org>.fleet)`,
  },
] as const satisfies readonly Flag[];

/** A flat file needs a path; a fleet mailbox must not have one. */
export function checkedTransport(
  transport: string | undefined,
  root: string | undefined,
): string | undefined {
  if (transport === 'fleet' && root !== undefined)
    throw invalid('--mailbox-transport fleet excludes --mailbox-root: the fleet server keeps it');
  if (transport === 'flatfile' && root === undefined)
    throw invalid('--mailbox-transport flatfile needs --mailbox-root DIR/.agent/inbox.md');
  return transport;
}

export function mailboxOption(flags: FlagsOf<typeof MAILBOX_FLAGS>): LaunchOptions['mailbox'] {
  const { mailboxRoot: root, mailboxAddress: address, mailboxTransport: transport } = flags;
  if (flags.mailbox !== false) return { root, address, transport: checkedTransport(transport, root) };
  if ([root, address, transport].every((each) => each === undefined)) return false;
  throw invalid('--no-mailbox excludes --mailbox-root, --mailbox-transport and --mailbox-address');
}
