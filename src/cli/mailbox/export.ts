import { SYMLINK_MODES } from '../../domain/index.ts';
import { command } from '../command.ts';
import { ROOT_FLAG } from '../mail/mailbox-door.ts';
import { plural } from '../mail/print.ts';
import { ADDRESS, about, flag, text, withStore } from './root.ts';

export const exportStore = command({
  name: 'export',
  summary: 'copy mailboxes and their mail into a new directory',
  examples: ['rouse mailbox export --output-dir ./mail-export --all-accounts'],
  flags: [
    { name: 'output-dir', value: 'DIR', summary: 'directory to create; must not exist yet', required: true },
    { name: 'all-accounts', summary: 'every mailbox' },
    { ...ADDRESS, required: false, summary: 'this mailbox; may be repeated', many: true },
    {
      name: 'symlink-mode',
      value: 'MODE',
      summary: 'whether boxes hold copies, or links to the exported messages',
      choices: SYMLINK_MODES,
      default: 'materialize',
    },
    ROOT_FLAG,
  ],
  run: (input) =>
    withStore(input, async (store) => {
      const manifest = await store.export({
        output_dir: text(input, 'outputDir')!,
        all_accounts: flag(input, 'allAccounts'),
        addresses: input.flags.address ?? [],
        symlink_mode: input.flags.symlinkMode,
      });
      const blocked = manifest.blocked_artifacts.length;
      const counts = `${plural(manifest.accounts.length, 'account')}, ${plural(manifest.messages.length, 'message')}`;
      const trouble =
        blocked > 0 ? `\n${plural(blocked, 'file')} could not be copied; see manifest.json` : '';
      return {
        data: about(input, manifest),
        plain: `exported ${counts} to ${text(input, 'outputDir')}${trouble}`,
      };
    }),
});
