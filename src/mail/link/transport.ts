import * as fs from 'node:fs';
import * as path from 'node:path';
import { FILESYSTEM, type FilesystemBinding, filesystemBinding } from '../filesystem/binding.ts';
import { layoutOf } from '../filesystem/root/layout.ts';
import type { MailTransport } from '../transport.ts';

/** A mail store in a directory. Its mailboxes may be linked with a fleet address. */
export const filesystem: MailTransport<FilesystemBinding> = {
  name: FILESYSTEM,
  binding: filesystemBinding,
  unpublished: ['mailbox_kind', 'mailbox_path'],
  placeField: 'filesystem_root',
  isAt: () => true,
  mayWait: ({ filesystem_root, address }) =>
    fs.existsSync(path.join(layoutOf(filesystem_root).links, address, 'link.json')),
  keeper: async () => (await import('./keeper.ts')).linkedKeeper,
};
