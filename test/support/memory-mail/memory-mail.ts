import { unknownRecipient } from '../../../src/domain/index.ts';
import type { Mailbox } from '../../../src/mail/port.ts';
import { MemoryMailbox } from './memory-mailbox.ts';
import { MemoryStore } from './memory-store.ts';

/** Mail between mailboxes of one process, kept in memory only. For tests of code that uses the port. */
export class MemoryMail extends MemoryStore {
  mailbox(address: string): Mailbox {
    const self = this.principals.get(address);
    if (!self) throw unknownRecipient(address, [...this.principals.values()]);
    return new MemoryMailbox(this, self);
  }
}
