import * as fs from 'node:fs';
import { identifyProcess, type ProcessIdentity } from '../../base/index.ts';
import { readProcess, type TurnFiles } from './turn-files.ts';

/** A process that has ended: no running one is ever taken for it. */
const GONE: ProcessIdentity = { pid: 2 ** 30, startTicks: -1, bootId: null };

/**
 * The process that runs an attempt. Recorded in process.json; when its gateway was killed before it could write that,
 * it is known by the attempt's own number, which stands in its arguments and in nobody else's.
 */
export function findRunner(files: TurnFiles, attempt: string): ProcessIdentity {
  const recorded = readProcess(files);
  if (recorded) return recorded.runner;
  let pids: string[];
  try {
    pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return GONE;
  }
  const pid = pids.find((each) => argumentsOf(each).includes(attempt));
  return (pid && identifyProcess(Number(pid))) || GONE;
}

function argumentsOf(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
