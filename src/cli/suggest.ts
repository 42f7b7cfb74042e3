import { nearest } from '../base/index.ts';
import type { Command } from './command.ts';

/** Names that other programs have for our commands. */
const OTHER_NAMES: Record<string, string> = {
  list: 'ls',
  ps: 'ls',
  top: 'ls --watch',
  watch: 'ls --watch',
  attach: 'open',
  connect: 'open',
  kill: 'stop',
  rm: 'stop',
  remove: 'stop',
  start: 'launch',
  run: 'launch',
  new: 'launch',
  spawn: 'launch',
  adopt: 'join',
  restart: 'agents relaunch',
  log: 'logs',
  tail: 'logs -f',
  message: 'send',
  msg: 'send',
  inbox: 'agents mail list',
  nudge: 'agents prompt',
  info: 'agents show',
};

const OTHER_FLAGS: Record<string, string[]> = {
  tail: ['lines'],
  number: ['lines'],
  dir: ['workdir'],
  cwd: ['workdir'],
  message: ['body', 'body-content'],
  text: ['body', 'body-content', 'prompt'],
  recipient: ['to'],
};

/** Whole command lines that an unknown word below this command may stand for, best first. */
export function suggestCommands(
  typed: string,
  command: Command,
  path: readonly string[],
  root: Command,
): string[] {
  const names = visible(command).map(({ name }) => name);
  const lines = [
    ...(path.length === 1 && OTHER_NAMES[typed] ? [`${root.name} ${OTHER_NAMES[typed]}`] : []),
    ...everywhere(root, [root.name])
      .filter((words) => words.at(-1) === typed)
      .map((words) => words.join(' ')),
    ...names.filter((name) => name.split('-').includes(typed)).map((name) => [...path, name].join(' ')),
  ];
  const near = nearest(typed, names, 1).map((name) => [...path, name].join(' '));
  return [...new Set(lines.length > 0 ? lines : near)].slice(0, 2);
}

/** The flag that an unknown one may stand for: `--agent-name` for `--name`. */
export function suggestFlag(typed: string, command: Command): string | undefined {
  const bare = typed.replace(/^-+/, '').replace(/=.*$/, '');
  const own = (command.flags ?? []).filter(({ hidden }) => !hidden).map(({ name }) => name);
  const names = [...own, 'json', 'print-plain', 'print-json', 'print-fancy', 'help'];
  const other = OTHER_FLAGS[bare]?.find((name) => own.includes(name));
  if (other) return `--${other}`;
  if (bare.startsWith('print-')) return '--print-json';
  const part = names.filter((name) => name.split('-').includes(bare) || name.startsWith(`${bare}-`));
  const [found] = [...nearest(bare, names, 1), ...part];
  return found && `--${found}`;
}

function visible({ subcommands = [] }: Command): Command[] {
  return subcommands.filter(({ hidden }) => !hidden);
}

/** Every command, shortest first. */
function everywhere(root: Command, path: string[]): string[][] {
  const below = visible(root).map((inner) => ({ inner, words: [...path, inner.name] }));
  return [
    ...below.map(({ words }) => words),
    ...below.flatMap(({ inner, words }) => everywhere(inner, words)),
  ].sort((a, b) => a.length - b.length);
}
