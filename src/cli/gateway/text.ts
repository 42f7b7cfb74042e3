import { invalid } from '../../base/index.ts';
import type { Flag, InputOf } from '../command.ts';

export const PROMPT_FLAG = {
  name: 'prompt',
  word: 'text',
  value: 'TEXT',
  summary: 'the prompt (default: standard input, unchanged)',
} as const satisfies Flag;

/** The prompt from its flag, trimmed; otherwise standard input, unchanged. */
export async function promptText({
  flags,
  stdin,
  stdinIsTty,
}: InputOf<readonly [typeof PROMPT_FLAG]>): Promise<string> {
  const given = flags.prompt;
  const text = typeof given === 'string' ? given.trim() : stdinIsTty ? '' : await stdin();
  if (text.trim() !== '') return text;
  throw invalid(typeof given === 'string' ? '--prompt must not be blank' : 'there is no prompt', {
    hint: 'pass it with --prompt, or pipe it into standard input',
  });
}
