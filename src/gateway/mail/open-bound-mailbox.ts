import { type Clock, unsupported } from '../../base/index.ts';
import { type Mailbox, openMailStore } from '../../mailbox/index.ts';
import type { MailboxBinding } from '../../wire/index.ts';

/** Opens the store a binding names. Closing the mailbox closes the store it was opened from. */
export async function openBoundMailbox(binding: MailboxBinding, clock: Clock): Promise<Mailbox> {
  if (binding.transport === 'filesystem') {
    const store = openMailStore({ root: binding.filesystem_root, clock });
    const mailbox = store.mailbox(binding.address);
    return Object.assign(Object.create(mailbox) as Mailbox, { close: () => store.close() });
  }
  throw unsupported(`mail kept by ${binding.transport} cannot be opened by a gateway`);
}
