import * as fs from 'node:fs';
import type { ProcessIdentity } from '../../base/index.ts';

/** Linux counts in hundredths of a second for programs, whatever the kernel does. */
const TICKS_PER_SECOND = 100;

/** When a process began, by today's wall clock, to the second; undefined where Linux does not tell. */
export function startedAtMs({ startTicks }: ProcessIdentity): number | undefined {
  if (startTicks === null) return undefined;
  try {
    const booted = /^btime (\d+)$/m.exec(fs.readFileSync('/proc/stat', 'utf8'))?.[1];
    if (booted === undefined) return undefined;
    return (Number(booted) + Math.floor(startTicks / TICKS_PER_SECOND)) * 1000;
  } catch {
    return undefined;
  }
}
