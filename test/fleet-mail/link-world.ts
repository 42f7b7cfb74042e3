import * as fs from 'node:fs';
import * as path from 'node:path';
import { newUuid, systemClock } from '../../src/base/index.ts';
import { fleetMail } from '../../src/client/index.ts';
import {
  addMailLink,
  bindMailbox,
  type Mailbox,
  type MailboxBinding,
  openMailbox,
  openMailStore,
} from '../../src/mail/index.ts';
import type { MailSessions } from './mail-world.ts';

export const surroundings = { clock: systemClock, connectFleet: fleetMail };

/** Mailboxes of a store on this host, some of them linked to a fleet. */
export class LinkedHost {
  readonly root: string;
  readonly #sessions: MailSessions;
  readonly #opened: Awaited<ReturnType<typeof openMailbox>>[] = [];

  constructor(sessions: MailSessions) {
    this.#sessions = sessions;
    this.root = path.join(sessions.directory, `store-${newUuid()}`);
  }

  /** An agent of this host that is registered with the fleet and has its mailbox here. */
  async agent(name: string): Promise<MailboxBinding> {
    const session = await this.#sessions.register(name);
    const { binding } = await bindMailbox(
      {
        transport: 'filesystem',
        place: this.root,
        principal_id: `HOUMAO-${name}`,
        bindings_version: newUuid(),
        mode: 'safe',
        agentName: name,
        manifestPath: path.join(session, 'manifest.json'),
      },
      surroundings,
    );
    return binding;
  }

  async link(name: string): Promise<MailboxBinding> {
    const binding = await this.agent(name);
    const store = openMailStore({ root: this.root });
    const { address, principal_id } = binding;
    const owner = store.registrations(address)[0]!;
    const fleetDirectory = path.join(path.dirname(owner.manifest_path_hint!), 'fleet');
    await addMailLink(store, { address, principal_id, agentName: name, fleetDirectory }, surroundings);
    await store.close();
    return binding;
  }

  async open(binding: MailboxBinding): Promise<Mailbox> {
    const opened = await openMailbox(binding, surroundings);
    this.#opened.push(opened);
    return opened.mailbox;
  }

  async end(): Promise<void> {
    for (const { close } of this.#opened) await close();
    fs.rmSync(this.root, { recursive: true, force: true });
  }
}
