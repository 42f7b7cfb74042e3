import * as path from 'node:path';
import { type Clock, conflict, crashPoint, isRouseError } from '../../base/index.ts';
import { makeMailRef } from '../../domain/index.ts';
import { linkDirectory, type MailLink, type MailStore } from '../filesystem/index.ts';
import { FleetMailbox } from '../fleet/fleet-mailbox.ts';
import { type HeldFile, Outbox } from '../fleet/outbox.ts';
import type { HeldMail, MailOutbox } from '../port.ts';
import type { FleetMailServer, MailSurroundings } from '../transport.ts';
import { bring } from './bring.ts';
import { stow } from './stow.ts';

/**
 * A mailbox of this host that has an address on a fleet server, too. `flush` carries both ways; nothing is kept in memory,
 * so that any process may do it, and two of them at once do no harm.
 */
export class LinkedOutbox implements MailOutbox {
  readonly #store: MailStore;
  readonly #link: MailLink;
  readonly #outbox: Outbox;
  readonly #fleet: FleetMailbox;

  constructor(on: { store: MailStore; link: MailLink; server: FleetMailServer; clock: Clock }) {
    const { store, link, server, clock } = on;
    const directory = linkDirectory(store.layout, link.address);
    this.#store = store;
    this.#link = link;
    this.#outbox = new Outbox(directory);
    this.#fleet = new FleetMailbox({
      address: link.fleet_address,
      principal_id: link.address,
      server,
      clock,
      directory,
    });
  }

  get held(): MailOutbox['held'] {
    return this.#fleet.outbox.held;
  }

  /** Each of these stows first: what is not in the outbox yet waits all the same. */
  async list(): Promise<HeldMail[]> {
    await this.#stow();
    return this.#fleet.outbox.list();
  }

  async cancel(messageId: string): Promise<HeldMail> {
    await this.#stow();
    return this.#fleet.outbox.cancel(messageId);
  }

  async flush(): Promise<void> {
    await this.#stow();
    try {
      await this.#fleet.outbox.flush();
    } finally {
      await this.#tellRefused();
    }
    await bring({ store: this.#store, link: this.#link, fleet: this.#fleet });
  }

  async #stow(): Promise<void> {
    await this.#outbox.exclusively(() =>
      stow({ store: this.#store, link: this.#link, outbox: this.#outbox }),
    );
  }

  /** Whoever wrote it gets an answer that says so; it stays in the outbox until somebody takes it back. */
  async #tellRefused(): Promise<void> {
    const untold = this.#outbox.list().filter(({ refused }) => refused && !refused.told);
    if (untold.length === 0) return;
    await this.#outbox.exclusively(async () => {
      for (const held of untold) if (this.#outbox.has(held.message_id)) await this.#tell(held);
    });
  }

  async #tell(held: HeldFile): Promise<void> {
    const [from] = [...held.mail.to, ...(held.mail.cc ?? [])];
    const refused = held.refused!;
    const told = this.#store.mailbox(from!).reply({
      message_ref: makeMailRef('filesystem', held.message_id),
      body_content: `This message was not delivered: ${refused.message}`,
      idempotency_key: `refused:${held.message_id}`,
    });
    await told.catch((error: unknown) => {
      if (!isRouseError(error) || error.code !== 'not_found') throw error;
    });
    crashPoint('link.refusal-told');
    this.#outbox.write({ ...held, refused: { ...refused, told: true } });
  }
}

export function linkedOutbox(
  store: MailStore,
  link: MailLink,
  { clock, connectFleet }: MailSurroundings,
): LinkedOutbox {
  if (!connectFleet) throw conflict('this program cannot reach a fleet server');
  return new LinkedOutbox({ store, link, clock, server: connectFleet(fleetDirectory(store, link)) });
}

/** Of the session that has the mailbox now: an agent that was launched again has another one, with another token. */
export function fleetDirectory(store: MailStore, { address, fleet_directory }: MailLink): string {
  const owner = store.registrations(address).find(({ status }) => status === 'active');
  const manifest = owner?.manifest_path_hint;
  return manifest == null ? fleet_directory : path.join(path.dirname(manifest), 'fleet');
}
