import * as fs from 'node:fs';
import * as path from 'node:path';
import { readProcStat } from './process-identity.ts';

const SHELLS = new Set('sh bash zsh fish dash ash ksh mksh tcsh csh nu pwsh elvish xonsh'.split(' '));
const INTERPRETER = /^(node|nodejs|bun|deno|python[\d.]*|ruby|perl|uv|npx)$/;
const SCRIPT_ENDING = /\.([cm]?[jt]s|py|rb|pl|sh)$/;
const MOST_WORDS = 16;

/** The name a program goes by: a login shell is called `-bash`, and a script's ending is no part of its name. */
export function bareName(word: string): string {
  return path.basename(word).replace(/^-/, '').replace(SCRIPT_ENDING, '');
}

export const isShell = (word: string): boolean => SHELLS.has(bareName(word));

/** It runs other programs under its own name. A shell is none: what it starts has a process of its own. */
export const isInterpreter = (word: string): boolean => INTERPRETER.test(bareName(word));

/** Every name a process goes by: its command name, its program, and the script when that is an interpreter. */
export function namesOf({ command, words }: { command: string; words: readonly string[] }): string[] {
  const program = words[0] ?? command;
  const names = [command, bareName(program)];
  const script = isInterpreter(program)
    ? words.slice(1).find((word) => word !== '' && !word.startsWith('-'))
    : undefined;
  return script === undefined ? names : [...names, bareName(script), bareName(realPath(script))];
}

/** The same for a process that runs; none when there is no such process. */
export function namesOfProcess(pid: number): string[] {
  const stat = readProcStat(pid);
  return stat ? namesOf({ command: stat.command, words: commandLineOf(pid) }) : [];
}

/** The first words of its command line; none when it has ended. */
export function commandLineOf(pid: number): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, MOST_WORDS);
  } catch {
    return [];
  }
}

/** Process ids of its children, as Linux tells them; none where it does not, or when it has ended. */
export function childrenOf(pid: number): number[] {
  try {
    return fs
      .readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => fs.readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '))
      .filter((child) => child !== '')
      .map(Number);
  } catch {
    return [];
  }
}

function realPath(script: string): string {
  try {
    return fs.realpathSync(script);
  } catch {
    return script;
  }
}
