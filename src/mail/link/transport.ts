import * as fs from 'node:fs';
import * as path from 'node:path';
import type { FilesystemBinding } from '../filesystem/binding.ts';
import { layoutOf } from '../filesystem/root/layout.ts';
import { filesystem as plain } from '../filesystem/transport.ts';
import type { MailTransport } from '../transport.ts';

/** A mail store in a directory; a mailbox of it may be linked with an address of a fleet. */
export const filesystem: MailTransport<FilesystemBinding> = {
  ...plain,
  mayWait: ({ filesystem_root, address }) =>
    fs.existsSync(path.join(layoutOf(filesystem_root).links, address, 'link.json')),
  keeper: async () => (await import('./keeper.ts')).linkedKeeper,
};
