import * as fs from 'node:fs';
import * as path from 'node:path';
import { identifyProcess, type ProcessIdentity, readProcStat } from '../../base/index.ts';

/** Programs that run other programs; the name that counts is that of the script. */
const INTERPRETERS = /^(node|bun|deno|python[0-9.]*|ruby|perl|sh|bash|dash|zsh|env)$/;

export interface FoundTool {
  identity: ProcessIdentity;
  name: string;
  /** It holds the terminal of its pane. */
  foreground: boolean;
}

/** The first process below the pane's own, level by level, that goes by one of these names. */
export function findTool(panePid: number, names: readonly string[]): FoundTool | undefined {
  let level = [panePid];
  const seen = new Set<number>();
  while (level.length > 0) {
    for (const pid of level) {
      seen.add(pid);
      const name = namesOf(pid).find((each) => names.includes(each));
      if (name !== undefined) return describe(pid, name);
    }
    level = level.flatMap(childrenOf).filter((pid) => !seen.has(pid));
  }
  return undefined;
}

function describe(pid: number, name: string): FoundTool | undefined {
  const identity = identifyProcess(pid);
  const stat = readProcStat(pid);
  if (!identity || !stat || stat.state === 'Z') return undefined;
  return { identity, name, foreground: stat.processGroup === stat.foregroundGroup };
}

/** Every name a process goes by: its command name, its program, and the script when that is an interpreter. */
export function namesOf(pid: number): string[] {
  const stat = readProcStat(pid);
  if (!stat) return [];
  const argv = commandLine(pid);
  const program = path.basename(argv[0] ?? '').replace(/^-/, '');
  const script = INTERPRETERS.test(program) ? argv.slice(1).find((word) => !word.startsWith('-')) : undefined;
  const names = [stat.command, program];
  if (script !== undefined) names.push(path.basename(script).replace(/\.(c|m)?js$|\.py$|\.sh$|\.ts$/, ''));
  return names;
}

function commandLine(pid: number): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 16);
  } catch {
    return [];
  }
}

export function childrenOf(pid: number): number[] {
  try {
    return fs
      .readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
      .filter(Boolean)
      .map(Number);
  } catch {
    return [];
  }
}
