import type { MailTransport } from '../transport.ts';
import { FILESYSTEM, type FilesystemBinding, filesystemBinding } from './binding.ts';

/** A mail store in a directory. */
export const filesystem: MailTransport<FilesystemBinding> = {
  name: FILESYSTEM,
  binding: filesystemBinding,
  unpublished: ['mailbox_kind', 'mailbox_path'],
  placeField: 'filesystem_root',
  isAt: () => true,
  keeper: async () => (await import('./keeper.ts')).filesystemKeeper,
};
