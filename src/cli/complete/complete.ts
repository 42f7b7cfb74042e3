import type { Command, Flag, InputOf } from '../command.ts';
import { command } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { SCRIPTS, SHELLS } from './scripts.ts';

const FLAGS = [
  {
    name: 'line',
    value: 'TEXT',
    summary: 'the line up to the cursor, for shells that split words differently',
  },
] as const satisfies readonly Flag[];

/** The visible command that prints a script, and the hidden one the script calls. */
export function completionCommands(root: () => Command): { completion: Command; complete: Command } {
  return {
    completion: {
      ...command({
        ...FIRST_WORDS.completion,
        description:
          'Prints a script that teaches your shell to complete commands, flags, agents, tools and messages, of rouse and of houmao-mgr.',
        examples: [
          'source <(rouse completion bash)                               # in ~/.bashrc',
          'source <(rouse completion zsh)                                # in ~/.zshrc, after compinit',
          'rouse completion fish > ~/.config/fish/completions/rouse.fish',
        ],
        args: [{ name: 'shell', summary: SHELLS.join(', '), choices: SHELLS }],
        flags: [],
        async run({ args, out }) {
          out(SCRIPTS[args[0]!]!);
        },
      }),
      despiteConfig: true,
    },
    complete: {
      ...command({
        ...FIRST_WORDS.complete,
        args: [{ name: 'words', summary: 'the words', variadic: true, optional: true }],
        flags: FLAGS,
        run: (input) => complete(root(), input),
      }),
      despiteConfig: true,
      isQuiet: true,
    },
  };
}

async function complete(root: Command, input: InputOf<typeof FLAGS>): Promise<void> {
  const [{ completeWords }, { completionText, knownNames }, { splitLine }] = await Promise.all([
    import('./complete-words.ts'),
    import('./known-names.ts'),
    import('./split-line.ts'),
  ]);
  const words = input.flags.line === undefined ? input.args : splitLine(input.flags.line).slice(1);
  const { candidates, files } = await completeWords(root, words, knownNames(input));
  input.out(completionText(candidates, files));
}
