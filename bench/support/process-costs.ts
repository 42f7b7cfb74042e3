import * as fs from 'node:fs';
import { childrenOf, sleep, systemClock } from '../../src/base/index.ts';

/** These processes and all their descendants. */
export function withDescendants(pids: Iterable<number>): number[] {
  const found = new Set<number>();
  const add = (pid: number): void => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const child of childrenOf(pid)) add(child);
  };
  for (const pid of pids) add(pid);
  return [...found];
}

/** Memory in MB; shared pages count once. */
export function memoryOf(pids: readonly number[]): number {
  return pids.reduce((all, pid) => all + pssOf(pid), 0) / 1024;
}

/** Hundredths of a core that they use during these seconds. */
export async function processorOf(pids: readonly number[], seconds: number): Promise<number> {
  const before = sum(pids);
  await sleep(systemClock, seconds * 1000);
  return ((sum(pids) - before) / 1e9 / seconds) * 100;
}

const sum = (pids: readonly number[]): number => pids.reduce((all, pid) => all + runTimeOf(pid), 0);

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** The run time of all its threads, in nanoseconds. */
export function runTimeOf(pid: number): number {
  try {
    const tasks = fs.readdirSync(`/proc/${pid}/task`);
    return tasks.reduce(
      (all, task) => all + Number(read(`/proc/${pid}/task/${task}/schedstat`).split(' ')[0]),
      0,
    );
  } catch {
    return 0;
  }
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
