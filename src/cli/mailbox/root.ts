import * as fs from 'node:fs';
import { commandLine, invalid } from '../../base/index.ts';
import type { MailStore } from '../../mail/index.ts';
import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import type { Flag, Input, InputOf } from '../command.ts';
import { chosenRoot, type ROOT_FLAG } from '../mail/mailbox-door.ts';

/** What the commands on a whole mail store have in common. */

export const ADDRESS = {
  name: 'address',
  value: 'ADDRESS',
  summary: `mail address, such as ana@${LOCAL_DOMAIN}`,
  required: true,
} as const satisfies Flag;
export const DRY_RUN = {
  name: 'dry-run',
  summary: 'show what would happen without doing it',
} as const satisfies Flag;
export const YES = { name: 'yes', summary: 'do it without asking' } as const satisfies Flag;

export const flag = <Name extends string>(
  input: Input<Record<Name, boolean | undefined>>,
  name: Name,
): boolean => input.flags[name] === true;
export const text = <Name extends string>(
  input: Input<Record<Name, string | undefined>>,
  name: Name,
): string | undefined => input.flags[name];

/** These commands work on directories. A path that ends in .md is a flat file, which has its own commands. */
export function storeRoot(input: InputOf<readonly [typeof ROOT_FLAG]>): string {
  const { path } = chosenRoot(input);
  if (!path.endsWith('.md') || fs.statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw invalid(`${path} names a flat mailbox file, which needs no mail store`, {
    hint: `use it as it is ("${commandLine`rouse mailfile prepend --mailbox ${path}`}"), or give it to an agent: "${commandLine`rouse agents mailbox register --mailbox-root ${path}`}"`,
  });
}

/** Opens the store, runs `work`, closes it. */
export async function withStore<T>(
  input: InputOf<readonly [typeof ROOT_FLAG]>,
  work: (store: MailStore) => Promise<T> | T,
): Promise<T> {
  const { openMailStore } = await import('../../mail/index.ts');
  const store = openMailStore({ root: storeRoot(input) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Every result names its root and where the choice of root came from. */
export function about(input: InputOf<readonly [typeof ROOT_FLAG]>, payload: object): object {
  const { path, source } = chosenRoot(input);
  return { mailbox_root: path, mailbox_root_detail: { path, source }, ...payload };
}
