import type { FsckReport } from '../../mail/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { plural } from '../mail/print.ts';
import { table } from '../print/table.ts';
import { COMPAT, holding, MAILBOX, noMailbox, open, TIMEOUT, waiting } from './input.ts';

async function fsck(input: InputOf<typeof FSCK_FLAGS>): Promise<Output> {
  const box = await open(input);
  if (!box.list({ limit: 1 }).exists) throw noMailbox(box.paths.mailbox);
  waiting(input);
  const report = input.flags.repair === true ? await box.repair(holding(input)) : box.fsck();
  const isDamaged = report.issues.some(({ warning }) => !warning);
  return { data: report, plain: fsckText(report), exitCode: isDamaged ? 4 : 0 };
}

function fsckText({ issues, message_count, repaired, backup }: FsckReport): string {
  const fixed = repaired > 0 ? `, ${repaired} repaired` : '';
  const copy = backup === null ? '' : `; the old file: ${backup}`;
  const warnings = issues.filter(({ warning }) => warning).length;
  const noted = warnings > 0 ? `, ${plural(warnings, 'warning')}` : '';
  const found = `${plural(message_count, 'message')}, ${plural(issues.length - warnings, 'trouble')}${noted}`;
  const head = `${found}${fixed}${copy}`;
  if (issues.length === 0) return head;
  const rows = table(issues, [
    { title: 'line', value: (row) => row.line, right: true },
    { title: 'trouble', value: (row) => row.kind },
    { title: 'msg-id', value: (row) => row.msg_id },
    { title: 'detail', value: (row) => row.detail },
    { title: 'repairable', value: (row) => (row.warning ? 'no damage' : row.repairable) },
  ]);
  return `${head}\n\n${rows}`;
}

const FSCK_FLAGS = [
  MAILBOX,
  { name: 'repair', summary: 'repair what can be repaired' },
  COMPAT,
  TIMEOUT,
] as const satisfies readonly Flag[];

export const mailfileFsck = command({
  name: 'fsck',
  summary: 'look for damage; exit code 4 when there is any',
  description:
    'Finds envelopes that are never closed, duplicate fields and messages, ids reused with other content, ' +
    'messages that are already archived, misplaced file headers, missing and unknown statuses; a missing date is only ' +
    'a warning. --repair fixes what it can ' +
    'without losing a word, and first saves a copy beside the lock.',
  examples: ['rouse mailfile fsck --mailbox .agent/inbox.md --repair'],
  flags: FSCK_FLAGS,
  run: fsck,
});
