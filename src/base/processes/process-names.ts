import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLineOf, environmentOf, processStatus } from '../system/index.ts';

const SHELLS = new Set('sh bash zsh fish dash ash ksh mksh tcsh csh nu pwsh elvish xonsh'.split(' '));
const INTERPRETER = /^(node|nodejs|bun|deno|python[\d.]*|ruby|perl|uv|npx)$/;
const SCRIPT_ENDING = /\.([cm]?[jt]s|py|rb|pl|sh)$/;

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

/** The same for a process that runs; none when there is no such process. Throws when it cannot be read. */
export function namesOfProcess(pid: number): string[] {
  const status = processStatus(pid);
  return status ? namesOf({ command: status.command, words: commandLineOf(pid) }) : [];
}

/** A variable of the environment it was started with; undefined when it is not set. Throws when it cannot be read. */
export function processVariable(pid: number, name: string): string | undefined {
  const entry = environmentOf(pid).find((each) => each.startsWith(`${name}=`));
  return entry?.slice(name.length + 1) || undefined;
}

function realPath(script: string): string {
  try {
    return fs.realpathSync(script);
  } catch {
    return script;
  }
}
