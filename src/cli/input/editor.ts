import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ensurePrivateDirectory, invalid, randomHex } from '../../base/index.ts';
import type { Input } from '../command.ts';

const SCISSORS = '---------- >8 ---------- everything below this line is left out';

/** The editor of the person; undefined if there is none or no terminal to show it on. */
export function editorOf({ env, stdinIsTty, outIsTty }: Input): string | undefined {
  if (!stdinIsTty || !outIsTty) return undefined;
  return env['VISUAL']?.trim() || env['EDITOR']?.trim() || undefined;
}

/**
 * Text written in the person's editor. `below` is shown under the text and left out of it. The text stays in a file, which
 * is named if the editor or the command fails, and removed once the command has succeeded.
 */
export function editText(editor: string, input: Input, below: readonly string[]): string {
  const file = newDraft(input, ['', '', SCISSORS, ...below, ''].join('\n'));
  // The variable may hold arguments, so it is a shell's word; the path is passed beside it.
  const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', file], {
    stdio: 'inherit',
    env: input.env,
  });
  const text = writtenIn(file);
  const remove = (): void => fs.rmSync(file, { force: true });
  if (text === undefined) remove();
  else {
    fs.writeFileSync(file, text);
    input.onEnd((isWell) =>
      isWell ? remove() : input.err(`your text is kept in ${file}; --body-file passes it\n`),
    );
  }
  if (error || status !== 0)
    throw invalid(`the editor (${editor}) ended with an error; nothing was sent`, {
      hint: 'set EDITOR to one that works, or use --body',
    });
  if (text === undefined) throw invalid('the text was left empty; nothing was sent');
  return text;
}

function newDraft({ settings }: Input, content: string): string {
  const directory = path.join(settings.home, 'drafts');
  ensurePrivateDirectory(directory);
  const file = path.join(directory, `message-${randomHex(6)}.md`);
  fs.writeFileSync(file, content, { mode: 0o600, flag: 'wx' });
  return file;
}

/** Undefined if nothing was written, or an editor has moved the file away. */
function writtenIn(file: string): string | undefined {
  try {
    const [text = ''] = fs.readFileSync(file, 'utf8').split(SCISSORS);
    return text.trim() === '' ? undefined : `${text.trim()}\n`;
  } catch {
    return undefined;
  }
}
