import * as fs from 'node:fs';
import { identifyProcess, isProcessAlive, type ProcessIdentity } from '../../../base/index.ts';
import { readCurrentTurn } from '../turn/current-turn.ts';
import { readProcess, type TurnFiles, turnFiles, voidAttempt } from '../turn/turn-files.ts';

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

/** A turn of this session that some process runs, whoever started it. For the holder of the lane only. */
export function runningTurnId(root: string): string | undefined {
  const current = readCurrentTurn(root);
  if (current === undefined || current === 'unreadable' || current.settled) return undefined;
  const files = turnFiles(root, current.turn_id);
  if (voidAttempt(files, current.attempt)) return undefined;
  return isProcessAlive(findRunner(files, current.attempt)) ? current.turn_id : undefined;
}

function argumentsOf(pid: string): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
