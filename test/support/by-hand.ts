import * as fs from 'node:fs';
import * as path from 'node:path';
import { childrenOf } from '../../src/base/index.ts';
import type { TestWorld } from './test-world.ts';

/** A person in the pane of an agent whose tool has ended: the shell that the launch leaves there is theirs. */

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const facts = (world: TestWorld, pane: string, format: string): string =>
  world.tmux('display-message', '-p', '-t', pane, format);

/** The processes below the shell of the pane. */
export function toolPids(world: TestWorld, pane: string): number[] {
  const below = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...below(child)]);
  return below(Number(facts(world, pane, '#{pane_pid}')));
}

/** Whether only a shell runs in the pane. */
export function toolGone(world: TestWorld, pane: string): boolean {
  return /^(sh|dash|bash)$/.test(facts(world, pane, '#{pane_current_command}'));
}

/** Types a command line there, with the environment of a person's shell. */
export async function startByHand(world: TestWorld, pane: string, words: string[]): Promise<void> {
  const profile = path.join(world.directory, 'profile.sh');
  const variables = Object.entries(world.env).filter(([, value]) => value !== undefined);
  fs.writeFileSync(profile, variables.map(([name, value]) => `export ${name}=${quoted(value!)}\n`).join(''));
  // A killed program leaves the terminal in its own modes: no echo, another screen, Enter not a new line.
  world.tmux('send-keys', '-R', '-t', pane);
  const greeting = `stty sane; . ${quoted(profile)}; echo pro''file read`;
  const greeted = (): boolean => world.tmux('capture-pane', '-p', '-t', pane).includes('profile read');
  // Keys are lost if they arrive before the shell has its terminal.
  while (!greeted()) {
    world.tmux('send-keys', '-l', '-t', pane, '--', greeting);
    world.tmux('send-keys', '-t', pane, 'C-j');
    const typed = Date.now();
    await world.until(() => greeted() || Date.now() - typed > 1_000);
  }
  world.tmux('send-keys', '-l', '-t', pane, '--', `clear; ${words.map(quoted).join(' ')}`);
  world.tmux('send-keys', '-t', pane, 'Enter');
  await world.until(() => !toolGone(world, pane));
}
