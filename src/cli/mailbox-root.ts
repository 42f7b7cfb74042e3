import type { MailStore } from '../mailbox/index.ts';
import type { Flag, Input } from './command.ts';
import { chosenRoot } from './mail-store-flags.ts';

/** What the commands on a whole mail store have in common. */

export const ADDRESS: Flag = {
  name: 'address',
  value: 'ADDRESS',
  summary: 'mail address, such as ana@houmao.localhost',
  required: true,
};
export const DRY_RUN: Flag = { name: 'dry-run', summary: 'tell what would happen and do nothing' };
export const YES: Flag = { name: 'yes', summary: 'do it without asking' };

export const flag = (input: Input, name: string): boolean => input.flags[name] === true;
export const text = (input: Input, name: string): string | undefined =>
  input.flags[name] as string | undefined;

/** Opens the store, runs `work`, closes it. */
export async function withStore<T>(input: Input, work: (store: MailStore) => Promise<T> | T): Promise<T> {
  const { openMailStore } = await import('../mailbox/index.ts');
  const store = openMailStore({ root: chosenRoot(input).path });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Every answer says which root it is about and why that one. */
export function about(input: Input, payload: object): object {
  const { path, source } = chosenRoot(input);
  return { mailbox_root: path, mailbox_root_detail: { path, source }, ...payload };
}
