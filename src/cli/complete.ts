import type { Command } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

/** The visible command that prints a script, and the hidden one the script calls. */
export function completionCommands(root: () => Command): Command[] {
  return [
    {
      name: 'completion',
      summary: `print the completion script for ${SHELLS.slice(0, 3).join(', ')}`,
      description: 'Prints a script that teaches your shell to complete rouse commands and flags.',
      examples: [
        'source <(rouse completion bash)',
        'rouse completion zsh > ~/.zfunc/_rouse',
        'rouse completion fish > ~/.config/fish/completions/rouse.fish',
      ],
      args: [{ name: 'shell', summary: SHELLS.join(', '), choices: SHELLS }],
      async run({ args }) {
        const { printScript } = await import('./completion.ts');
        printScript(args[0]!);
      },
    },
    {
      name: 'complete',
      summary: 'what may follow the words typed so far',
      hidden: true,
      args: [{ name: 'words', summary: 'the words', variadic: true, optional: true }],
      async run({ args }) {
        const { printCompletions } = await import('./completion.ts');
        await printCompletions(root(), args);
      },
    },
  ];
}
