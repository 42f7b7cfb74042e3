// The files on the way of a message from its sender to the stored proof that the agent's tool took it, with their length, for
// ARCHITECTURE.md.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

const MAX_FILES = 25;
/** Files that must be in the list: the connections, paste and Enter, the proof. */
const NEEDED = [
  'src/gateway/connect-rooms.ts',
  'src/terminal/lane/prompt/deliver-prompt.ts',
  'src/terminal/proof/prove-submission.ts',
];

const WAY = [
  ['src/mail/filesystem/own-mail.ts', 'a message is committed and flushed; its file follows'],
  ['src/mail/filesystem/watch/signal.ts', "the recipient's mailbox is marked as changed"],
  ['src/mail/filesystem/watch/watch-mailbox.ts', 'the watcher of that mailbox sees the mark'],
  ['src/gateway/mail/mail-access.ts', "the agent's gateway watches the mailbox that is bound to it"],
  ['src/gateway/connect-rooms.ts', 'connects the parts: changed mail notifies the notifier'],
  ['src/gateway/notifier/notifier.ts', 'one check: open mail, facts, a decision, its record'],
  ['src/gateway/notifier/eligible-mail.ts', 'which mail may wake the agent'],
  ['src/gateway/notifier/gather-facts.ts', 'everything a decision is made from'],
  ['src/gateway/notifier/decide-wake.ts', 'the whole policy as one pure function, with its chain of reasons'],
  ['src/gateway/notifier/wake-records.ts', 'request, audit row and status, in one commit'],
  ['src/gateway/queue/request-queue.ts', 'accepted work and its ledger of evidence'],
  ['src/gateway/dispatch/dispatch-pass.ts', 'one pass, at most one request, when the agent may be disturbed'],
  ['src/gateway/dispatch/claim-request.ts', 'the request leaves the queue'],
  ['src/gateway/dispatch/run-request.ts', 'it goes through the lane; each stage is recorded before the next'],
  ['src/terminal/lane/lane.ts', 'the one writer: the lock, and what an earlier writer left'],
  ['src/terminal/lane/prompt/deliver-prompt.ts', 'one prompt from the last check to its proof'],
  [
    'src/terminal/lane/prompt/paste-prompt.ts',
    'the gate and the reason once more; the last check and the paste, in one tmux command',
  ],
  ['src/terminal/lane/prompt/await-echo.ts', 'the composer shows the whole text'],
  ['src/terminal/lane/prompt/enter-prompt.ts', 'Enter, step by step (the table is `entering-steps.ts`)'],
  ['src/terminal/lane/prompt/press-enter.ts', 'records the screen, and presses the key'],
  ['src/terminal/lane/prompt/prove-entered.ts', 'looks at the screen after it'],
  ['src/terminal/proof/prove-submission.ts', 'what proves that the tool took the prompt'],
  ['src/terminal/lane/prompt/delivery.ts', 'the proof is recorded, and only then is it a success'],
  ['src/gateway/queue/ledger.ts', 'the stage `submitted` is stored with its evidence'],
];

function problems() {
  const files = WAY.map(([file]) => file);
  return [
    ...(files.length > MAX_FILES ? [`${files.length} files, at most ${MAX_FILES}`] : []),
    ...NEEDED.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => !existsSync(path.join(root, file))).map((file) => `there is no ${file}`),
    ...files.filter((file, n) => files.indexOf(file) !== n).map((file) => `${file} is listed twice`),
  ];
}

/** Lengths are rounded to tens, so a small change does not change the page. */
export function readingList() {
  const found = problems();
  if (found.length > 0) throw new Error(`scripts/reading-list.mjs: ${found.join('; ')}`);
  const lengths = WAY.map(([file]) => readFileSync(path.join(root, file), 'utf8').split('\n').length - 1);
  const rounded = (lines) => Math.round(lines / 10) * 10;
  const rows = WAY.map(([file, what], n) => `${n + 1}. \`${file}\` (${rounded(lengths[n])} lines): ${what}`);
  const all = Math.round(lengths.reduce((sum, each) => sum + each, 0) / 100) * 100;
  return `${rows.join('\n')}\n\nTogether about ${all} lines.`;
}
