import * as fs from 'node:fs';
import * as path from 'node:path';
import { invalid, notFound } from '../../base/index.ts';
import type { Mailbox } from '../../mail/index.ts';
import type { Flag, Input } from '../command.ts';
import { answered, type MailDoor } from './door.ts';

export const ROOT_FLAG: Flag = {
  name: 'mailbox-root',
  value: 'DIR',
  summary: 'mail store (default: HOUMAO_GLOBAL_MAILBOX_DIR or ~/.rouse/mailbox)',
};

export const MAILBOX_FLAGS: Flag[] = [
  { ...ROOT_FLAG, summary: 'mail store directory, or a flat mailbox file ending in .md' },
  { name: 'address', value: 'ADDRESS', summary: 'whose mailbox; may be left out when the store has one' },
  {
    name: 'transport',
    value: 'NAME',
    summary: 'kind of mailbox; auto decides by --mailbox-root',
    choices: ['auto', 'filesystem', 'flatfile'],
    default: 'auto',
  },
];

/** The root that was asked for, and who asked: flag, environment or nobody. */
export function chosenRoot({ flags, env, settings }: Input): { path: string; source: string } {
  const given = flags['mailboxRoot'];
  if (typeof given === 'string') {
    if (given.trim() === '') throw invalid('--mailbox-root must not be blank');
    return { path: path.resolve(given), source: 'flag' };
  }
  const source = env['HOUMAO_GLOBAL_MAILBOX_DIR'] ? 'environment' : 'default';
  return { path: settings.mailboxDir, source };
}

/** The mailbox the flags name, in its store. */
export const MAILBOX_DOOR: MailDoor = {
  example: { family: 'rouse mail', mailbox: '--address ana@houmao.localhost' },
  flags: MAILBOX_FLAGS,
  ask: (input, operation, body) =>
    withMailbox(input, async (mailbox) => {
      if (operation === 'status')
        return answered(operation, 'manager_direct', { schema_version: 1, ...(await mailbox.status()) });
      const { runMailOperation } = await import('../../gateway/offline.ts');
      return answered(
        operation,
        'manager_direct',
        await runMailOperation(operation, body, async () => mailbox),
      );
    }),
};

/** Opens the mailbox the flags name, runs `work`, and closes what was opened. */
export async function withMailbox<T>(input: Input, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const { path: root } = chosenRoot(input);
  const transport = input.flags['transport'];
  const isFile = transport === 'flatfile' || (transport === 'auto' && root.endsWith('.md'));
  return isFile ? withFlatFile(input, root, work) : withStore(input, root, work);
}

async function withStore<T>(input: Input, root: string, work: (mailbox: Mailbox) => Promise<T>): Promise<T> {
  const { openMailStore } = await import('../../mail/index.ts');
  const store = openMailStore({ root });
  try {
    const address = (input.flags['address'] as string | undefined) ?? onlyAddress(store.registrations());
    const mailbox = store.mailbox(address);
    try {
      return await work(mailbox);
    } finally {
      await mailbox.close();
    }
  } finally {
    await store.close();
  }
}

async function withFlatFile<T>(
  input: Input,
  file: string,
  work: (mailbox: Mailbox) => Promise<T>,
): Promise<T> {
  const address = input.flags['address'];
  if (typeof address !== 'string') {
    throw invalid('--address is needed with a flat mailbox file', {
      hint: 'the file does not say whose it is: give --address NAME@DOMAIN',
    });
  }
  const { agentDirectoryOf, FlatFileMailbox } = await import('../../mail/index.ts');
  const mailbox = new FlatFileMailbox({ directory: requireDirectory(agentDirectoryOf(file)), address });
  try {
    return await work(mailbox);
  } finally {
    await mailbox.close();
  }
}

/** Looking at mail makes no directory. */
function requireDirectory(directory: string): string {
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return directory;
  throw notFound(`there is no directory ${directory}`, { hint: `make it first: mkdir -p ${directory}` });
}

/** The one mailbox of a store beside the operator's; otherwise the caller has to choose. */
function onlyAddress(
  registrations: readonly { address: string; status: string; role: string | null }[],
): string {
  const own = registrations.filter(({ status, role }) => status === 'active' && role !== 'system_operator');
  if (own.length === 1) return own[0]!.address;
  const some = own.slice(0, 8).map(({ address }) => address);
  throw invalid(
    `--address is needed: the store has ${own.length === 0 ? 'no mailbox' : `${own.length} mailboxes`}`,
    {
      hint:
        own.length === 0
          ? 'register one: rouse mailbox register --address NAME@houmao.localhost'
          : `one of ${some.join(', ')}${own.length > some.length ? ', …' : ''}`,
    },
  );
}
