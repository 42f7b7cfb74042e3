import { invalid } from '../../base/index.ts';
import type { Flag, Input, InputOf } from '../command.ts';
import { editorOf, editText } from './editor.ts';
import { readTextFile } from './text-file.ts';

export const BODY_FLAGS = [
  {
    name: 'body',
    also: 'body-content',
    value: 'TEXT',
    summary: 'the text; otherwise --body-file, standard input, or $EDITOR on a terminal',
  },
  { name: 'body-file', value: 'FILE', summary: 'file with the text; - is standard input' },
] as const satisfies readonly Flag[];

/** The text of a message, from flags, standard input or the person's editor. `below` is shown in the editor. */
export async function bodyText(
  input: InputOf<typeof BODY_FLAGS>,
  below: readonly string[] = [],
): Promise<string> {
  const text = await writtenText(input);
  if (text !== undefined) return text;
  const editor = editorOf(input);
  if (editor !== undefined) return editText(editor, input, below);
  // A forgotten flag and a script's empty standard input look alike, so an empty message must be explicit.
  throw invalid('the message has no text', {
    hint: 'use --body, --body-file or standard input; on a terminal, EDITOR names an editor',
  });
}

/** The text from flags or standard input; undefined if there is none. */
export async function writtenText({
  flags,
  stdin,
  stdinIsTty,
}: Pick<InputOf<typeof BODY_FLAGS>, 'flags' | keyof Input>): Promise<string | undefined> {
  const { body, bodyFile: file } = flags;
  if (body !== undefined && file !== undefined)
    throw invalid('--body and --body-file exclude each other', { hint: 'leave out one of the two' });
  if (body !== undefined) return body;
  if (file !== undefined && file !== '-') return readTextFile('--body-file', file);
  const typed = stdinIsTty && file === undefined ? '' : await stdin();
  return typed === '' && file === undefined ? undefined : typed;
}
