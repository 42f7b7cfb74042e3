import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { invalid } from '../../base/index.ts';
import type { Input } from '../command.ts';

const SCISSORS = '---------- >8 ---------- everything below this line is left out';

/** The editor of the person; undefined if there is none or no terminal to show it on. */
export function editorOf({ env, stdinIsTty, outIsTty }: Input): string | undefined {
  if (!stdinIsTty || !outIsTty) return undefined;
  return env['VISUAL']?.trim() || env['EDITOR']?.trim() || undefined;
}

/** Text written in the person's editor. `below` is shown under the text and left out of it. */
export function editText(editor: string, { env }: Input, below: readonly string[]): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-message-'));
  const file = path.join(directory, 'message.md');
  try {
    fs.writeFileSync(file, ['', '', SCISSORS, ...below, ''].join('\n'), { mode: 0o600 });
    // The variable may hold arguments, so it is a shell's word; the path is passed beside it.
    const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], {
      stdio: 'inherit',
      env,
    });
    if (error || status !== 0)
      throw invalid(`the editor (${editor}) ended with an error; nothing was sent`, {
        hint: 'set EDITOR to one that works, or use --body',
      });
    const [text = ''] = fs.readFileSync(file, 'utf8').split(SCISSORS);
    if (text.trim() === '') throw invalid('the text was left empty; nothing was sent');
    return `${text.trim()}\n`;
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
