import type { Sqlite } from '../../../db/index.ts';
import { readMeta, writeMeta } from '../root/meta-rows.ts';
import { activeRegistration, type RegistrationRow } from './registration-rows.ts';

const EDITION = 'registrations_edition';

/**
 * Caches the active registrations. Every change of a registration makes a new edition. Reading the edition is one short
 * query, so an operation on many addresses asks the index once.
 */
export class RegistrationBook {
  #edition: string | undefined;
  #active = new Map<string, RegistrationRow | undefined>();

  /** Looks up addresses as they are now, or in this transaction. Use the result at once; do not keep it. */
  open(db: Sqlite): (address: string) => RegistrationRow | undefined {
    const edition = readMeta(db, EDITION) ?? '0';
    if (edition !== this.#edition || this.#active.size > 10_000) this.#active.clear();
    this.#edition = edition;
    return (address) => {
      if (!this.#active.has(address)) this.#active.set(address, activeRegistration(db, address));
      return this.#active.get(address);
    };
  }

  /** Call inside the transaction that changes a registration. */
  newEdition(db: Sqlite): void {
    writeMeta(db, EDITION, String(Number(readMeta(db, EDITION) ?? 0) + 1));
    this.#edition = undefined;
  }
}
