// The ten files that carry a message from its sender to the agent's terminal, for ARCHITECTURE.md, with their length.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

const STREET = [
  [
    'src/mail/filesystem/own-mail.ts',
    'a message is written, flushed and indexed; everyone who watches the mailbox is notified',
  ],
  ['src/gateway/notifier/notifier.ts', 'something asks for a look: open mail, facts, a decision, its record'],
  ['src/gateway/notifier/decide-wake.ts', 'the whole policy as one pure function, with its chain of reasons'],
  ['src/gateway/notifier/wake-records.ts', 'request, audit row and status, in one transaction'],
  ['src/gateway/queue/request-queue.ts', 'accepted work and its ledger of evidence'],
  ['src/gateway/dispatch/dispatch-pass.ts', 'one pass, at most one request, when the agent may be disturbed'],
  [
    'src/gateway/dispatch/run-request.ts',
    'the request goes through the lane; each stage is recorded before the next',
  ],
  ['src/terminal/lane/lane.ts', 'the one writer: the lock, what was left by the one before, the gate'],
  [
    'src/terminal/lane/prompt/paste-prompt.ts',
    'a last look and the paste, in one command of the tmux server',
  ],
  [
    'src/terminal/lane/prompt/enter-prompt.ts',
    'Enter and its proof, step by step (the table is `entering-steps.ts`)',
  ],
];

/** Lengths are rounded to tens, so that a small change leaves the page as it is. */
export function readingList() {
  const lengths = STREET.map(([file]) => readFileSync(path.join(root, file), 'utf8').split('\n').length - 1);
  const rounded = (lines) => Math.round(lines / 10) * 10;
  const rows = STREET.map(
    ([file, what], n) => `${n + 1}. \`${file}\` (${rounded(lengths[n])} lines): ${what}`,
  );
  const all = Math.round(lengths.reduce((sum, each) => sum + each, 0) / 100) * 100;
  return `${rows.join('\n')}\n\nTogether about ${all} lines.`;
}
