import * as fs from 'node:fs';
import * as path from 'node:path';
import { commandLineOf, environmentOf, processStatus } from '../system/index.ts';

const SHELLS = new Set('sh bash zsh fish dash ash ksh mksh tcsh csh nu pwsh elvish xonsh'.split(' '));
const INTERPRETER = /^(node|nodejs|bun|deno|python[\d.]*|ruby|perl|uv|npx)$/;
const SCRIPT_ENDING = /\.([cm]?[jt]s|py|rb|pl|sh)$/;

/** The name of a program without the `-` of a login shell and without the ending of a script. */
export function bareName(word: string): string {
  return path.basename(word).replace(/^-/, '').replace(SCRIPT_ENDING, '');
}

export const isShell = (word: string): boolean => SHELLS.has(bareName(word));

/** Whether it runs other programs under its own name. A shell does not: what it starts is a process of its own. */
export const isInterpreter = (word: string): boolean => INTERPRETER.test(bareName(word));

/** Every name of a process: its command name, its program, and the script if that is an interpreter. */
export function namesOf({ command, words }: { command: string; words: readonly string[] }): string[] {
  const program = words[0] ?? command;
  const names = [command, bareName(program)];
  const script = isInterpreter(program)
    ? words.slice(1).find((word) => word !== '' && !word.startsWith('-'))
    : undefined;
  return script === undefined ? names : [...names, bareName(script), bareName(realPath(script))];
}

/** The same for a running process; empty if there is no such process. Throws if it cannot be read. */
export function namesOfProcess(pid: number): string[] {
  const status = processStatus(pid);
  return status ? namesOf({ command: status.command, words: commandLineOf(pid) }) : [];
}

/** A variable of the environment that a process was started with; undefined if not set. Throws if it cannot be read. */
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
