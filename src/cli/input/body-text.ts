import { invalid } from '../../base/index.ts';
import type { Flag, Input } from '../command.ts';
import { readTextFile } from './text-file.ts';

export const BODY_FLAGS: Flag[] = [
  { name: 'body-content', value: 'TEXT', summary: 'the text; otherwise --body-file or standard input' },
  { name: 'body-file', value: 'FILE', summary: 'file with the text; - is standard input' },
];

/** The text of a message, from flags or standard input. */
export async function bodyText({ flags, stdin, stdinIsTty }: Input): Promise<string> {
  const content = flags['bodyContent'] as string | undefined;
  const file = flags['bodyFile'] as string | undefined;
  if (content !== undefined && file !== undefined)
    throw invalid('--body-content and --body-file exclude each other');
  if (content !== undefined) return content;
  if (file !== undefined && file !== '-') return readTextFile('--body-file', file);
  const typed = stdinIsTty && file === undefined ? '' : await stdin();
  // A forgotten flag and a script's empty standard input look alike: whoever means an empty message says so.
  if (typed === '' && file === undefined) {
    throw invalid('the message has no text', { hint: 'give --body-content, --body-file or standard input' });
  }
  return typed;
}
