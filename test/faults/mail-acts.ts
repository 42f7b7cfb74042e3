import * as fs from 'node:fs';
import * as path from 'node:path';
import { initMailStore, type MailStore, openMailStore } from '../../src/mail/filesystem/index.ts';
import { ANY_FILE, type Mailbox } from '../../src/mail/index.ts';
import type { Act } from './every-write.ts';
import { runWriter } from './writer.ts';

const bodyOf = (id: string): string => `begin ${id}\n${'x'.repeat(2000)}\nend ${id}`;

/** Counts the complete messages with this subject; their stored copy must exist too. */
async function found(mailbox: Mailbox, box: string, id: string): Promise<number> {
  const { messages } = await mailbox.list({ box, limit: 1000, include_body: true, archived: null });
  const those = messages.filter(({ subject }) => subject === id);
  for (const { body_text, attachments } of those) {
    if (body_text !== bodyOf(id)) throw new Error(`${id} is shown by half`);
    for (const { locator } of attachments)
      if (fs.readFileSync(locator!, 'utf8') !== 'kept') throw new Error(`${id} lacks what was kept with it`);
  }
  return those.length;
}

function actsOn(store: MailStore, kept: string): Act[] {
  const ana = store.mailbox('ana@x');
  const bob = store.mailbox('bob@x');
  const refs = new Map<string, string>();
  const send = async (id: string, attachments: { path: string; copy: boolean }[] = []): Promise<void> => {
    const draft = { to: ['bob@x'], subject: id, body_content: bodyOf(id), idempotency_key: id, attachments };
    await ana.send(draft, ANY_FILE);
  };
  const deliver = async (id: string): Promise<void> => {
    const { message } = await bob.post({ subject: id, body_content: bodyOf(id), idempotency_key: id });
    refs.set(id, message.message_ref);
  };
  const settle = async (): Promise<void> => {
    await store.published();
    await store.publisher.flush();
  };
  const inEither = async (id: string): Promise<number> => {
    const [inbox, archive] = [await found(bob, 'inbox', id), await found(bob, 'archive', id)];
    if (inbox + archive !== 1)
      throw new Error(`${id} is ${inbox} times in the inbox, ${archive} in the archive`);
    return archive;
  };
  return [
    { name: 'send', run: (id) => send(id), count: (id) => found(bob, 'inbox', id), settle },
    {
      name: 'send with a copy',
      run: (id) => send(id, [{ path: kept, copy: true }]),
      count: (id) => found(bob, 'inbox', id),
      settle,
    },
    {
      name: 'archive',
      prepare: deliver,
      run: async (id) => void (await bob.archive([refs.get(id)!])),
      count: inEither,
      settle,
    },
    {
      name: 'mark',
      prepare: deliver,
      run: async (id) => void (await bob.mark({ message_refs: [refs.get(id)!], read: true })),
      count: async (id) =>
        ((await bob.peek(refs.get(id)!)).read ? 1 : 0) + (await found(bob, 'inbox', id)) - 1,
      settle,
    },
    {
      name: 'register',
      run: async (id) => void store.register({ address: addressOf(id), owner_principal_id: 'someone' }),
      count: async (id) => store.registrations(addressOf(id)).length,
      settle,
    },
  ];
}

const addressOf = (id: string): string => `${id.replaceAll(' ', '-')}@x`;

/** Opens and creates stores, each time another one. */
function openings(directory: string): Act[] {
  const at = (id: string): string => path.join(directory, id.replaceAll(' ', '-'));
  const look = async (id: string): Promise<number> => {
    if (!fs.existsSync(at(id))) return 0;
    const store = initMailStore({ root: at(id) });
    await store.close();
    return 1;
  };
  return [
    {
      name: 'make a store',
      run: async (id) => initMailStore({ root: at(id) }).close(),
      count: look,
    },
    {
      name: 'open what another left unfinished',
      prepare: async (id) => {
        const store = initMailStore({ root: at(id) });
        store.register({ address: 'ana@x', owner_principal_id: 'ana' });
        await store.mailbox('ana@x').post({ subject: id, body_content: bodyOf(id) });
        await store.published();
        store.db.run("INSERT OR REPLACE INTO unpublished (seq, publisher) SELECT seq, '-' FROM messages");
        await store.close();
      },
      run: async (id) => openMailStore({ root: at(id) }).close(),
      count: look,
    },
  ];
}

await runWriter(async (directory) => {
  const kept = path.join(directory, 'kept.txt');
  fs.writeFileSync(kept, 'kept');
  const store = initMailStore({ root: path.join(directory, 'mail') });
  for (const name of ['ana', 'bob']) store.register({ address: `${name}@x`, owner_principal_id: name });
  return {
    acts: [...actsOn(store, kept), ...openings(directory)],
    close: async () => {
      await store.publisher.flush();
      const { warnings } = await store.mailbox('bob@x').status();
      if (warnings.length > 0) throw new Error(warnings.join('; '));
      const { messages } = await store.mailbox('bob@x').list({ box: 'inbox', limit: 10_000 });
      const links = fs.readdirSync(path.join(directory, 'mail', 'mailboxes', 'bob@x', 'inbox'));
      if (links.length !== messages.length)
        throw new Error(`${messages.length} messages in the inbox, but ${links.length} links`);
      await store.close();
    },
  };
});
