import * as path from 'node:path';
import { invalid } from '../../base/index.ts';
import type { Mailbox } from '../../mail/index.ts';
import { LOCAL_DOMAIN, VARIABLE } from '../../wire/houmao/index.ts';
import type { Flag, InputOf } from '../command.ts';
import { answered, type MailDoor } from './door.ts';

export const ROOT_FLAG = {
  name: 'mailbox-root',
  value: 'DIR',
  summary: `mail store (default: ${VARIABLE.mailboxDir} or ~/.rouse/mailbox)`,
} as const satisfies Flag;

/** The transport is derived from the path of the mailbox. */
const AUTO = 'auto';

export const MAILBOX_FLAGS = [
  { ...ROOT_FLAG, summary: 'mail store directory, or a flat mailbox file ending in .md' },
  { name: 'address', value: 'ADDRESS', summary: 'whose mailbox; may be left out when the store has one' },
  {
    name: 'transport',
    value: 'NAME',
    summary: 'kind of mailbox; auto decides by --mailbox-root',
    choices: async () => [
      AUTO,
      ...(await import('../../mail/transports.ts')).transportNames(({ isAt }) => isAt),
    ],
    default: AUTO,
  },
] as const satisfies readonly Flag[];

/** The root to use, and where it comes from: flag, environment, file or default. */
export function chosenRoot({ flags, settings }: InputOf<readonly [typeof ROOT_FLAG]>): {
  path: string;
  source: string;
} {
  const given = flags.mailboxRoot;
  if (typeof given === 'string') {
    if (given.trim() === '') throw invalid('--mailbox-root must not be blank');
    return { path: path.resolve(given), source: 'flag' };
  }
  return { path: settings.mailboxDir, source: settings.mailboxFrom };
}

/** The mailbox the flags name, in its store. */
export const MAILBOX_DOOR: MailDoor<typeof MAILBOX_FLAGS> = {
  example: { family: 'rouse mail', mailbox: `--address ana@${LOCAL_DOMAIN}` },
  flags: MAILBOX_FLAGS,
  ask: (input, operation, body) =>
    withMailbox(input, async (mailbox) => {
      if (operation === 'status')
        return answered(operation, 'manager_direct', { schema_version: 1, ...(await mailbox.status()) });
      const { runMailOperation } = await import('../../gateway/offline-mail.ts');
      const { ANY_FILE } = await import('../../mail/index.ts');
      return answered(
        operation,
        'manager_direct',
        await runMailOperation(operation, body, { open: async () => mailbox, files: ANY_FILE }),
      );
    }),
};

/** Opens the mailbox the flags name, runs `work`, and closes what was opened. */
export async function withMailbox<T>(
  input: InputOf<typeof MAILBOX_FLAGS>,
  work: (mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  const { path: root } = chosenRoot(input);
  const { address, transport } = input.flags;
  const { openMailboxAt } = await import('../../mail/index.ts');
  const named = transport === AUTO ? undefined : transport;
  const { mailbox, close } = await openMailboxAt(root, { address, transport: named });
  try {
    return await work(mailbox);
  } finally {
    await close();
  }
}
