import type { MailTransport } from '../transport.ts';
import { FLAT_FILE, type FlatFileBinding, flatFileBinding, isFlatFilePath } from './binding.ts';

/** `.agent/inbox.md` and `.agent/outbox.md` of a directory. */
export const flatfile: MailTransport<FlatFileBinding> = {
  name: FLAT_FILE,
  binding: flatFileBinding,
  placeField: 'mailbox_path',
  isAt: isFlatFilePath,
  carriedBy: 'rouse mailfile relay',
  keeper: async () => (await import('./keeper.ts')).flatFileKeeper,
};
