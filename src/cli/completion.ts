import { RootCommand, script } from '@bomb.sh/tab';
import type { Command } from './command.ts';

/** Prints the script that teaches a shell to complete `rouse`; it calls `rouse complete -- …`. */
export function printScript(shell: string): void {
  script(shell, 'rouse', 'rouse');
}

/** Prints what may follow the words typed so far. */
export function printCompletions(root: Command, words: string[]): void {
  const tree = new RootCommand();
  const add = (command: Command, path: string[]): void => {
    if (command.hidden) return;
    const place = path.length ? tree.command(path.join(' '), command.summary) : tree;
    for (const flag of command.flags ?? []) {
      if (flag.hidden) continue;
      const { choices } = flag;
      if (!flag.value) place.option(flag.name, flag.summary);
      else {
        place.option(flag.name, flag.summary, (complete) => {
          for (const choice of choices ?? []) complete(choice, '');
        });
      }
    }
    for (const inner of command.subcommands ?? []) add(inner, [...path, inner.name]);
  };
  add(root, []);
  for (const style of ['plain', 'json', 'fancy']) tree.option(`print-${style}`, `print as ${style}`);
  tree.parse(words);
}
