import * as fs from 'node:fs';

/** Other processes with this text in their arguments, variables or working directory. */
export function processesNaming(text: string): { pid: number; words: string }[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => isRunning(name) && traces(name).some((trace) => trace.includes(text)))
    .map((name) => ({ pid: Number(name), words: read(name, 'cmdline').replaceAll('\0', ' ').trim() }));
}

function read(pid: string, file: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid: string): boolean {
  const state = read(pid, 'stat').split(') ').at(-1)?.[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function traces(pid: string): string[] {
  let cwd = '';
  try {
    cwd = fs.readlinkSync(`/proc/${pid}/cwd`);
  } catch {}
  return [read(pid, 'cmdline'), read(pid, 'environ'), cwd];
}
