import { type Clock, conflict, Emitter, systemClock } from '../../../src/base/index.ts';
import {
  contentDigest,
  IDEMPOTENCY_HEADER,
  INBOX,
  idempotencyScope,
  type MailDocument,
  type MailPrincipal,
  OPERATOR,
  parseAddress,
  recipientsOf,
  SENT,
  unknownRecipient,
} from '../../../src/domain/index.ts';
import type { MailHint } from '../../../src/mail/port.ts';

export const TRANSPORT = 'memory';

/** One message as one mailbox sees it. */
export interface MemoryEntry {
  order: number;
  document: MailDocument;
  box: string;
  read: boolean;
  answered: boolean;
}

/** What the mailboxes of one process share. */
export class MemoryStore {
  readonly changed = new Emitter<MailHint>();
  readonly principals = new Map<string, MailPrincipal>([[OPERATOR.address, { ...OPERATOR }]]);
  readonly entries = new Map<string, Map<string, MemoryEntry>>();
  readonly versions = new Map<string, number>();
  readonly keys = new Map<string, MailDocument>();
  readonly clock: Clock;
  /** The capabilities that its mailboxes report. */
  transport: string = TRANSPORT;
  #order = 0;

  constructor(clock: Clock = systemClock) {
    this.clock = clock;
  }

  register(address: string, principal_id = address.split('@')[0]!): this {
    this.principals.set(address, { principal_id, address });
    return this;
  }

  /** The manifest, for mailboxes of agents. */
  registerAgent(address: string): this {
    this.register(address);
    this.principals.get(address)!.manifest_path_hint = `/agents/${address}/manifest.json`;
    return this;
  }

  document(messageId: string): MailDocument | undefined {
    for (const entries of this.entries.values()) {
      const entry = entries.get(messageId);
      if (entry) return entry.document;
    }
    return undefined;
  }

  resolve(addresses: string[], field: string): MailPrincipal[] {
    return addresses.map((text, i) => {
      const known = this.principals.get(text.trim());
      if (known) return known;
      parseAddress(text, `${field}[${i}]`);
      throw unknownRecipient(text.trim(), [...this.principals.values()]);
    });
  }

  deliver(document: MailDocument): { document: MailDocument; duplicate: boolean } {
    const key = document.headers[IDEMPOTENCY_HEADER];
    if (typeof key === 'string') {
      const scoped = `${idempotencyScope(document)}\n${key}`;
      const first = this.keys.get(scoped);
      if (first && contentDigest(first) === contentDigest(document))
        return { document: first, duplicate: true };
      if (first) throw conflict(`idempotency key ${key} was used for other content`);
      this.keys.set(scoped, document);
    }
    this.#place(document.from.address, document, SENT);
    for (const { address } of recipientsOf(document)) this.#place(address, document, INBOX);
    return { document, duplicate: false };
  }

  entriesOf(address: string): Map<string, MemoryEntry> {
    const known = this.entries.get(address) ?? new Map<string, MemoryEntry>();
    this.entries.set(address, known);
    return known;
  }

  touch(address: string): void {
    this.versions.set(address, (this.versions.get(address) ?? 0) + 1);
    this.changed.emit({ address });
  }

  #place(address: string, document: MailDocument, box: string): void {
    const entry: MemoryEntry = { order: ++this.#order, document, box, read: box === SENT, answered: false };
    this.entriesOf(address).set(document.message_id, entry);
    this.touch(address);
  }
}
