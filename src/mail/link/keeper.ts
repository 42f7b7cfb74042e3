import type { FilesystemBinding } from '../filesystem/binding.ts';
import { readLink } from '../filesystem/index.ts';
import { filesystemKeeper, openIn } from '../filesystem/keeper.ts';
import { openMailStore } from '../filesystem/store.ts';
import type { MailKeeper } from '../transport.ts';
import { type LinkedOutbox, linkedOutbox } from './linked-outbox.ts';

/** A mail store in a directory, whose mailboxes may be linked with a fleet. */
export const linkedKeeper: MailKeeper<FilesystemBinding> = {
  ...filesystemKeeper,
  async open({ filesystem_root: root, address }, on) {
    const store = openMailStore({ root, clock: on.clock });
    const opened = await openIn(store, () => address);
    let known: { made: string; outbox: LinkedOutbox } | undefined;
    opened.mailbox.waitIn(() => {
      const link = on.connectFleet && readLink(store.layout, address);
      if (!link) return undefined;
      const made = JSON.stringify(link);
      if (known?.made !== made) known = { made, outbox: linkedOutbox(store, link, on) };
      return known.outbox;
    });
    return opened;
  },
};
