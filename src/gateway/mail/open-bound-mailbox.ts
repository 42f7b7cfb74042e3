import * as fs from 'node:fs';
import { type Clock, notFound, unsupported } from '../../base/index.ts';
import { FlatFileMailbox, openMailStore } from '../../mail/index.ts';
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
      const { mailbox_path: directory, address, principal_id } = binding;
      const opened = fs.statSync(directory, { throwIfNoEntry: false });
      if (!opened?.isDirectory()) {
        throw notFound(`there is no directory ${directory}, where the mailbox was`, {
          hint: 'put it back, or bind another mailbox with "rouse agents mailbox register"',
        });
      }
      const mailbox = new FlatFileMailbox({ directory, address, principal_id, clock });
      return {
        mailbox,
        isReplaced: () => {
          const now = fs.statSync(directory, { throwIfNoEntry: false });
          return now?.ino !== opened.ino || now.dev !== opened.dev;
        },
        close: () => mailbox.close(),
      };
    }
    default:
      throw unsupported(`mail kept by ${binding.transport} cannot be opened by a gateway`);
  }
}
