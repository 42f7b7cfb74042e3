import * as fs from 'node:fs';
import { expect } from 'vitest';
import { addressOf, runChild, type StoreUnderTest, temporaryDirectory } from './harness.ts';
import { everyMessage } from './storm.ts';

/**
 * Kills a process at this point of a delivery, then repeats the same send in another: the recipient has one complete
 * copy. `inspect` may look at the store after the retry.
 */
export async function proveSendSurvives(
  store: StoreUnderTest,
  crashAt: string,
  inspect?: (place: unknown) => void | Promise<void>,
): Promise<void> {
  const directory = temporaryDirectory();
  try {
    const place = await store.prepare(directory, ['alice', 'bob']);
    const to = addressOf('bob');
    const job = {
      kind: 'send' as const,
      place,
      name: 'alice',
      to,
      subject: 'crash',
      body: 'the body',
      key: 'k',
    };
    const before = await runChild(store, { ...job, subject: 'earlier', key: 'earlier' });
    expect(before.report).toMatchObject({ sent: 1, duplicates: 0 });
    const killed = await runChild(store, { ...job, crashAt });
    expect(killed.signal, `${crashAt} was never reached`).toBe('SIGKILL');
    const again = await runChild(store, job);
    expect(again.report?.error).toBeUndefined();
    expect(again.report?.sent).toBe(1);
    await store.settle?.(place);
    const bob = await store.openMailbox(place, 'bob');
    try {
      const inbox = await everyMessage(bob);
      expect(inbox.map(({ subject }) => subject)).toEqual(['crash', 'earlier']);
      expect(inbox[0]).toMatchObject({ body_text: 'the body', unread: true });
      expect(await bob.status()).toMatchObject({ open_count: 2, set_aside_count: 0, warnings: [] });
    } finally {
      await bob.close();
    }
    await inspect?.(place);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

/** The same for archive: after the retry the message is in the archive, once, and nowhere else. */
export async function proveArchiveSurvives(
  store: StoreUnderTest,
  crashAt: string,
  inspect?: (place: unknown) => void | Promise<void>,
): Promise<void> {
  const directory = temporaryDirectory();
  try {
    const place = await store.prepare(directory, ['alice', 'bob']);
    const send = { kind: 'send' as const, place, name: 'alice', to: addressOf('bob'), body: 'the body' };
    for (const key of ['stays', 'goes']) await runChild(store, { ...send, subject: key, key });
    await store.settle?.(place);
    const bob = await store.openMailbox(place, 'bob');
    const goes = (await everyMessage(bob)).find(({ subject }) => subject === 'goes')!;
    await bob.close();
    const job = { kind: 'archive' as const, place, name: 'bob', refs: [goes.message_ref] };
    const killed = await runChild(store, { ...job, crashAt });
    expect(killed.signal, `${crashAt} was never reached`).toBe('SIGKILL');
    const again = await runChild(store, job);
    expect(again.report?.error).toBeUndefined();
    const after = await store.openMailbox(place, 'bob');
    try {
      expect((await everyMessage(after)).map(({ subject }) => subject)).toEqual(['stays']);
      expect(await everyMessage(after, 'archive')).toMatchObject([
        { subject: 'goes', body_text: 'the body', read: true, archived: true },
      ]);
    } finally {
      await after.close();
    }
    await inspect?.(place);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
