import { fileURLToPath } from 'node:url';
import { initMailStore, openMailStore } from '../../src/mail/filesystem/index.ts';
import type { Mailbox } from '../../src/mail/index.ts';

const addressOf = (name: string): string => `${name}@houmao.localhost`;

/** A mailbox of the root at `place`; closing it closes its store. */
export async function openMailbox(place: unknown, name: string): Promise<Mailbox> {
  const store = openMailStore({ root: String(place) });
  const mailbox = store.mailbox(addressOf(name));
  const closeMailbox = mailbox.close.bind(mailbox);
  mailbox.close = async () => {
    await closeMailbox();
    await store.close();
  };
  return mailbox;
}

async function prepare(directory: string, names: string[]): Promise<string> {
  const store = initMailStore({ root: directory });
  for (const name of names) store.register({ address: addressOf(name), owner_principal_id: name });
  await store.close();
  return directory;
}

export const filesystemStore = {
  name: 'filesystem store',
  module: fileURLToPath(import.meta.url),
  prepare,
  openMailbox,
};
