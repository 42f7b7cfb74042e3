import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { isRouseError, type RouseError } from '../../base/index.ts';
import { ANY_FILE } from '../file-access.ts';
import type { Mailbox } from '../index.ts';
import { initMailStore, type MailStore, openMailStore } from './index.ts';

export const at = (name: string): string => `${name}@houmao.localhost`;

/** The error that a call throws. */
export function errorOf(call: () => unknown): RouseError {
  try {
    call();
  } catch (error) {
    if (isRouseError(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** A root in a temporary directory with a mailbox per name, and ways to inspect it from outside. */
export class TestRoot {
  readonly directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-mail-')));
  readonly root = path.join(this.directory, 'root');
  #open = new Set<MailStore>();
  store: MailStore;

  constructor(...names: string[]) {
    this.store = this.#keep(initMailStore({ root: this.root }));
    for (const name of names) this.store.register({ address: at(name), owner_principal_id: name });
  }

  mailbox(name: string): Mailbox {
    return this.store.mailbox(at(name));
  }

  /** Closes the store and opens the root again. */
  async reopen(root = this.root): Promise<MailStore> {
    await this.store.close();
    this.store = this.#keep(openMailStore({ root }));
    return this.store;
  }

  send(from: string, to: string, subject: string, more: Record<string, unknown> = {}) {
    const draft = { to: [at(to)], subject, body_content: `about ${subject}`, ...more };
    return this.mailbox(from).send(draft, ANY_FILE);
  }

  path(...parts: string[]): string {
    return path.join(this.root, ...parts);
  }

  write(file: string, text: string): string {
    const full = path.join(this.directory, file);
    fs.mkdirSync(path.dirname(full), { recursive: true });
    fs.writeFileSync(full, text);
    return full;
  }

  /** Files below a directory of the root, sorted. */
  files(...parts: string[]): string[] {
    return fs
      .readdirSync(this.path(...parts), { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(this.path(...parts), path.join(entry.parentPath, entry.name)))
      .sort();
  }

  async subjects(name: string, box = 'inbox'): Promise<string[]> {
    const { messages } = await this.mailbox(name).list({ box });
    return messages.map(({ subject }) => subject);
  }

  #keep(store: MailStore): MailStore {
    this.#open.add(store);
    return store;
  }

  async end(): Promise<void> {
    for (const store of this.#open) await store.close().catch(() => {});
    fs.rmSync(this.directory, { recursive: true, force: true });
  }
}

/** Alice wrote four messages; bob read one, archived one, moved one to his own box and left one alone. */
export async function livedIn(): Promise<TestRoot> {
  const world = new TestRoot('alice', 'bob');
  for (const subject of ['left', 'read', 'archived', 'boxed']) await world.send('alice', 'bob', subject);
  const bob = world.mailbox('bob');
  const ref = new Map((await bob.list()).messages.map(({ subject, message_ref }) => [subject, message_ref]));
  await bob.read(ref.get('read')!);
  await bob.mark({ message_refs: [ref.get('read')!], answered: true });
  await bob.archive([ref.get('archived')!]);
  await bob.move([ref.get('boxed')!], 'later');
  await world.store.close();
  return world;
}
