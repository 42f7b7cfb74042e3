import { command } from '../command.ts';
import { ROOT_FLAG } from '../mail/mailbox-door.ts';
import { keyValues } from '../print/table.ts';
import { about, flag, storeRoot } from './root.ts';

export const repair = command({
  name: 'repair',
  summary: 'bring index, message files and folders back into step',
  examples: ['rouse mailbox repair'],
  description:
    'A readable index is the truth: missing files and links are made from it. An index that is lost or damaged is ' +
    'rebuilt from the message files; flags and boxes come from the old index, the state journal or the folders.',
  flags: [
    {
      name: 'cleanup-staging',
      summary: 'deal with files left in staging/ by interrupted writers at least a minute ago',
      negatable: true,
      default: true,
    },
    {
      name: 'quarantine-staging',
      summary: 'move them to staging/quarantine; --remove-staging deletes them',
      negatable: true,
      opposite: 'remove-staging',
      default: true,
    },
    ROOT_FLAG,
  ],
  async run(input) {
    const { repairMailStore } = await import('../../mail/index.ts');
    input.progress('repairing');
    const result = await repairMailStore({
      root: storeRoot(input),
      cleanup_staging: flag(input, 'cleanupStaging'),
      quarantine_staging: flag(input, 'quarantineStaging'),
    });
    const { set_aside_paths: _paths, staging_artifact_paths: _staged, ...facts } = result;
    return { data: about(input, result), plain: keyValues(facts) };
  },
});
