import { invalid } from '../base/index.ts';
import type { Command } from './command.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { table } from './print/table.ts';

const help: Command = {
  name: 'help',
  summary: 'explain a topic: exit-codes',
  examples: ['rouse help exit-codes'],
  args: [{ name: 'topic', summary: 'exit-codes', optional: true }],
  async run({ args }) {
    const topic = args[0] ?? 'exit-codes';
    if (topic !== 'exit-codes') {
      throw invalid(`no help topic "${topic}"; topics: exit-codes`, {
        hint: `for a command, run "rouse ${topic} --help"`,
      });
    }
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
