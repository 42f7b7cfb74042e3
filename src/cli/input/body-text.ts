import { invalid } from '../../base/index.ts';
import type { Flag, InputOf } from '../command.ts';
import { readTextFile } from './text-file.ts';

export const BODY_FLAGS = [
  { name: 'body-content', value: 'TEXT', summary: 'the text; otherwise --body-file or standard input' },
  { name: 'body-file', value: 'FILE', summary: 'file with the text; - is standard input' },
] as const satisfies readonly Flag[];

/** The text of a message, from flags or standard input. */
export async function bodyText(
  { flags, stdin, stdinIsTty }: InputOf<typeof BODY_FLAGS>,
  textFlag = '--body-content',
): Promise<string> {
  const content = flags.bodyContent;
  const file = flags.bodyFile;
  if (content !== undefined && file !== undefined)
    throw invalid(`${textFlag} and --body-file exclude each other`, { hint: 'leave out one of the two' });
  if (content !== undefined) return content;
  if (file !== undefined && file !== '-') return readTextFile('--body-file', file);
  const typed = stdinIsTty && file === undefined ? '' : await stdin();
  // A forgotten flag and a script's empty standard input look alike, so an empty message must be explicit.
  if (typed === '' && file === undefined) {
    throw invalid('the message has no text', {
      hint: `give ${textFlag}, --body-file or standard input`,
    });
  }
  return typed;
}
