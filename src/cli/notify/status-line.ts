import * as fs from 'node:fs';
import { shellQuote } from '../../base/index.ts';
import { command, type Input, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { noticesDirectory, withOutbox } from './outbox.ts';

async function run(input: Input): Promise<Output> {
  const { statusLineFile } = await import('../../notices/index.ts');
  const file = statusLineFile(noticesDirectory(input));
  const all = (await withOutbox(input, (outbox) => outbox.subscriptions())) ?? [];
  if (!all.some(({ channel }) => channel === 'status-line'))
    input.err('note: nothing writes that line yet; "rouse notify add status-line" does\n');
  // `tail -F` sleeps until the file is replaced, so nothing polls. tmux takes the last line of a command that keeps running.
  const show = `set -ga status-right ${shellQuote(` #(tail -qn1 -F ${shellQuote(file)} 2>/dev/null)`)}`;
  // The default length of 40 has no room for it.
  const lines = `set -g status-right-length 150\n${show}`;
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : '';
  return { data: { file, tmux: lines, now: text }, plain: lines };
}

export default command({
  ...FIRST_WORDS.statusLine,
  description:
    'The lines show who needs you in the status line of tmux. Append them to ~/.tmux.conf, or run them with "tmux source". ' +
    'The host keeps the text in a file; nothing polls.',
  examples: ['rouse status-line   # append them to ~/.tmux.conf', 'rouse status-line | tmux source -'],
  flags: [],
  run,
});
