import { RootCommand, script } from '@bomb.sh/tab';
import { type Command, now } from './command.ts';

/** Prints the script that teaches a shell to complete `rouse`; it calls `rouse complete -- …`. */
export function printScript(shell: string): void {
  script(shell, 'rouse', 'rouse');
}

/** Prints what may follow the words typed so far. */
export async function printCompletions(root: Command, words: string[]): Promise<void> {
  const tree = new RootCommand();
  const add = async (command: Command, path: string[]): Promise<void> => {
    if (command.hidden) return;
    const place = path.length ? tree.command(path.join(' '), command.summary) : tree;
    for (const flag of command.flags ?? []) {
      if (flag.hidden) continue;
      const choices = await now(flag.choices ?? []);
      if (!flag.value) place.option(flag.name, flag.summary);
      else {
        place.option(flag.name, flag.summary, (complete) => {
          for (const choice of choices) complete(choice, '');
        });
      }
    }
    for (const inner of command.subcommands ?? []) await add(inner, [...path, inner.name]);
  };
  await add(root, []);
  for (const style of ['plain', 'json', 'fancy']) tree.option(`print-${style}`, `print as ${style}`);
  tree.parse(words);
}
