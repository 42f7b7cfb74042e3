import { type Clock, unsupported } from '../../base/index.ts';
import { openMailStore } from '../../mailbox/index.ts';
import type { MailboxBinding } from '../../wire/index.ts';
import type { OpenedMailbox } from './mail-access.ts';

/** Opens the store a binding names. */
export async function openBoundMailbox(binding: MailboxBinding, clock: Clock): Promise<OpenedMailbox> {
  if (binding.transport === 'filesystem') {
    const store = openMailStore({ root: binding.filesystem_root, clock });
    return { mailbox: store.mailbox(binding.address), close: () => store.close() };
  }
  throw unsupported(`mail kept by ${binding.transport} cannot be opened by a gateway`);
}
