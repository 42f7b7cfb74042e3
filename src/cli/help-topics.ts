import type { Command } from './command.ts';
import { FIRST_WORDS } from './first-words.ts';
import { table } from './print/table.ts';

/** What each exit code means; wire/codes.ts maps errors to codes. Scripts depend on them, so they never change. */
export const EXIT_MEANINGS: [number, string][] = [
  [0, 'done'],
  [1, 'something went wrong inside Rouse, or a tool it ran failed'],
  [2, 'the command line or its input is not valid; nothing was changed'],
  [3, 'no such agent, message, request, file or other thing'],
  [4, 'conflict: it already exists with other content, is in use, or is ambiguous'],
  [5, 'not ready: the agent must not be disturbed now; the reasons are printed'],
  [6, 'this target or transport cannot do that'],
  [7, 'not reachable now: no live gateway, lock timeout, missing program'],
  [8, 'not allowed: missing or wrong credential'],
  [130, 'interrupted by Ctrl-C'],
];

const SEVERAL = 'A command for several agents ends with the worst of their codes: 1, otherwise the highest.';

const help: Command = {
  ...FIRST_WORDS.help,
  examples: ['rouse help launch', 'rouse help agents gateway attach', 'rouse help exit-codes'],
  args: [{ name: 'command', summary: 'a command, or exit-codes', optional: true, variadic: true }],
  async run() {
    return {
      data: { exit_codes: EXIT_MEANINGS.map(([code, meaning]) => ({ code, meaning })) },
      plain: `${table(EXIT_MEANINGS, [
        { title: 'code', value: ([code]) => code, right: true },
        { title: 'meaning', value: ([, meaning]) => meaning },
      ])}\n\n${SEVERAL}`,
    };
  },
};

export default help;
