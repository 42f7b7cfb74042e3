import * as fs from 'node:fs';
import * as path from 'node:path';
import { childrenOf } from '../../src/base/index.ts';
import type { TestWorld } from './test-world.ts';

/** What a person does in the pane of an agent whose tool has ended: the shell that the launch leaves there is theirs. */

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

const facts = (house: TestWorld, pane: string, format: string): string =>
  house.tmux('display-message', '-p', '-t', pane, format);

/** The processes below the shell of the pane. */
export function toolPids(house: TestWorld, pane: string): number[] {
  const below = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...below(child)]);
  return below(Number(facts(house, pane, '#{pane_pid}')));
}

/** Whether nothing but a shell holds the pane. */
export function toolGone(house: TestWorld, pane: string): boolean {
  return /^(sh|dash|bash)$/.test(facts(house, pane, '#{pane_current_command}'));
}

/** Types a command line there, with the environment that a person's own shell would have. */
export async function startByHand(house: TestWorld, pane: string, words: string[]): Promise<void> {
  const profile = path.join(house.directory, 'profile.sh');
  const variables = Object.entries(house.env).filter(([, value]) => value !== undefined);
  fs.writeFileSync(profile, variables.map(([name, value]) => `export ${name}=${quoted(value!)}\n`).join(''));
  // What was killed leaves the terminal as it liked it: no echo, another screen, Enter not a new line.
  house.tmux('send-keys', '-R', '-t', pane);
  const greeting = `stty sane; . ${quoted(profile)}; echo pro''file read`;
  const greeted = (): boolean => house.tmux('capture-pane', '-p', '-t', pane).includes('profile read');
  // Keys that come before the shell has its terminal are lost.
  while (!greeted()) {
    house.tmux('send-keys', '-l', '-t', pane, '--', greeting);
    house.tmux('send-keys', '-t', pane, 'C-j');
    const typed = Date.now();
    await house.until(() => greeted() || Date.now() - typed > 1_000);
  }
  house.tmux('send-keys', '-l', '-t', pane, '--', `clear; ${words.map(quoted).join(' ')}`);
  house.tmux('send-keys', '-t', pane, 'Enter');
  await house.until(() => !toolGone(house, pane));
}
