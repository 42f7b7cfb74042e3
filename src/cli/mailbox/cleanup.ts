import { invalid } from '../../base/index.ts';
import type { MaintenanceReport } from '../../mail/index.ts';
import { command, type Flag } from '../command.ts';
import { wholeNumber } from '../input/flag-values.ts';
import { ROOT_FLAG } from '../mail/mailbox-door.ts';
import { plural } from '../mail/print.ts';
import { table } from '../print/table.ts';
import { about, DRY_RUN, flag, withStore, YES } from './root.ts';

const seconds = <const Name extends string>(name: Name, what: string) =>
  ({
    name,
    value: 'SECONDS',
    summary: `${what} at least this long ago; 0 means any time`,
    parse: wholeNumber(0),
    default: 0,
  }) as const satisfies Flag;

export const cleanup = command({
  name: 'cleanup',
  summary: 'delete unused mailboxes, and copies that nothing refers to',
  examples: ['rouse mailbox cleanup --inactive-older-than-seconds 2592000 --dry-run'],
  flags: [
    seconds('inactive-older-than-seconds', 'deactivated'),
    seconds('stashed-older-than-seconds', 'stashed'),
    DRY_RUN,
    ROOT_FLAG,
  ],
  run: (input) =>
    withStore(input, (store) => {
      const report = store.cleanup({
        inactive_older_than_seconds: input.flags.inactiveOlderThanSeconds,
        stashed_older_than_seconds: input.flags.stashedOlderThanSeconds,
        dry_run: flag(input, 'dryRun'),
      });
      return { data: about(input, report), plain: renderReport(report) };
    }),
});

export const clear = command({
  name: 'clear-messages',
  summary: 'delete all mail in a store and keep its mailboxes',
  examples: ['rouse mailbox clear-messages --dry-run'],
  flags: [DRY_RUN, YES, ROOT_FLAG],
  run: (input) =>
    withStore(input, async (store) => {
      const dryRun = flag(input, 'dryRun');
      if (!dryRun && !flag(input, 'yes')) {
        throw invalid('this removes every message of the store', {
          hint: 'look with --dry-run, then use --yes',
        });
      }
      const report = await store.clearMessages({ dryRun });
      return { data: about(input, report), plain: renderReport(report) };
    }),
});

function renderReport({
  dry_run: dry,
  planned_actions,
  applied_actions,
  blocked_actions,
}: MaintenanceReport): string {
  const acted = dry ? planned_actions : applied_actions;
  const head = `${dry ? 'would remove' : 'removed'} ${plural(acted.length, 'thing')}`;
  const rows = [
    ...acted.map((action) => ({ ...action, done: dry ? 'planned' : 'done' })),
    ...blocked_actions.map((action) => ({ ...action, done: 'blocked' })),
  ];
  if (rows.length === 0) return head;
  const lines = table(rows, [
    { title: 'what', value: ({ artifact_kind: kind }) => kind.replaceAll('_', ' ') },
    { title: 'how many', value: ({ details }) => details?.['count'] ?? 1, right: true },
    { title: 'state', value: ({ done }) => done },
    { title: 'why', value: ({ reason }) => reason },
    { title: 'path', value: ({ path }) => path },
  ]);
  return `${head}\n\n${lines}`;
}
