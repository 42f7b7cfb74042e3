import * as path from 'node:path';
import { type Clock, conflict, crashPoint, isRouseError } from '../../base/index.ts';
import { makeMailRef } from '../../domain/index.ts';
import { linkDirectory, type MailLink, type MailStore } from '../filesystem/index.ts';
import { FleetMailbox } from '../fleet/fleet-mailbox.ts';
import { type HeldFile, Outbox } from '../fleet/outbox.ts';
import type { HeldMail, MailOutbox } from '../port.ts';
import type { FleetMailServer, MailSurroundings } from '../transport.ts';
import { fetchMail } from './fetch-mail.ts';
import { moveToOutbox } from './move-to-outbox.ts';

/**
 * A mailbox of this host that also has an address on a fleet server. `flush` carries mail both ways. Nothing is kept in
 * memory, so any process may do it, and two at once do no harm.
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

  /** Each of these moves new mail to the outbox first, because mail that is not there yet waits too. */
  async list(): Promise<HeldMail[]> {
    await this.#moveToOutbox();
    return this.#fleet.outbox.list();
  }

  async cancel(messageId: string): Promise<HeldMail> {
    await this.#moveToOutbox();
    return this.#fleet.outbox.cancel(messageId);
  }

  async flush(): Promise<void> {
    await this.#moveToOutbox();
    try {
      await this.#fleet.outbox.flush();
    } finally {
      await this.#reportRefused();
    }
    await fetchMail({ store: this.#store, link: this.#link, fleet: this.#fleet });
  }

  async #moveToOutbox(): Promise<void> {
    await this.#outbox.exclusively(() =>
      moveToOutbox({ store: this.#store, link: this.#link, outbox: this.#outbox }),
    );
  }

  /** The sender gets a reply that says so. The message stays in the outbox until someone cancels it. */
  async #reportRefused(): Promise<void> {
    const unreported = this.#outbox.list().filter(({ refused }) => refused && !refused.told);
    if (unreported.length === 0) return;
    await this.#outbox.exclusively(async () => {
      for (const held of unreported) if (this.#outbox.has(held.message_id)) await this.#report(held);
    });
  }

  async #report(held: HeldFile): Promise<void> {
    const [from] = [...held.mail.to, ...(held.mail.cc ?? [])];
    const refused = held.refused!;
    const reply = this.#store.mailbox(from!).reply({
      message_ref: makeMailRef('filesystem', held.message_id),
      body_content: `This message was not delivered: ${refused.message}`,
      idempotency_key: `refused:${held.message_id}`,
    });
    await reply.catch((error: unknown) => {
      if (!isRouseError(error) || error.code !== 'not_found') throw error;
    });
    crashPoint('link.refusal-reported');
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

/** The directory of the session that has the mailbox now: a relaunched agent has another one, with another token. */
export function fleetDirectory(store: MailStore, { address, fleet_directory }: MailLink): string {
  const owner = store.registrations(address).find(({ status }) => status === 'active');
  const manifest = owner?.manifest_path_hint;
  return manifest == null ? fleet_directory : path.join(path.dirname(manifest), 'fleet');
}
