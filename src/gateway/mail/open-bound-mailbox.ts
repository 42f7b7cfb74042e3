import { type Clock, unsupported } from '../../base/index.ts';
import { FlatFileMailbox, openMailStore } from '../../mailbox/index.ts';
import type { MailboxBinding } from '../../wire/index.ts';
import type { OpenedMailbox } from './mail-access.ts';

/** Opens the store a binding names. */
export async function openBoundMailbox(binding: MailboxBinding, clock: Clock): Promise<OpenedMailbox> {
  switch (binding.transport) {
    case 'filesystem': {
      const store = openMailStore({ root: binding.filesystem_root, clock });
      return {
        mailbox: store.mailbox(binding.address),
        isReplaced: () => store.isReplaced,
        close: () => store.close(),
      };
    }
    case 'flatfile': {
      const mailbox = new FlatFileMailbox({
        directory: binding.mailbox_path,
        address: binding.address,
        clock,
      });
      return { mailbox, close: () => mailbox.close() };
    }
    default:
      throw unsupported(`mail kept by ${binding.transport} cannot be opened by a gateway`);
  }
}
