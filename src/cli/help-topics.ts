import type { Command } from './command.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { table } from './print/table.ts';

const TOPICS = ['exit-codes'];

/** Any other word after `help` names a command, whose help is shown instead. */
export function isTopic(word: string | undefined): boolean {
  return word !== undefined && TOPICS.includes(word);
}

const help: Command = {
  name: 'help',
  summary: 'the help of a command, or of a topic: exit-codes',
  examples: ['rouse help launch', 'rouse help agents gateway attach', 'rouse help exit-codes'],
  args: [{ name: 'command', summary: 'a command, or exit-codes', optional: true, variadic: true }],
  async run() {
    return {
      data: { exit_codes: EXIT_MEANINGS.map(([code, meaning]) => ({ code, meaning })) },
      plain: table(EXIT_MEANINGS, [
        { title: 'code', value: ([code]) => code, right: true },
        { title: 'meaning', value: ([, meaning]) => meaning },
      ]),
    };
  },
};

export default help;
