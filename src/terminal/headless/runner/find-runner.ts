import {
  accountOf,
  commandLineOf,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  runningPids,
} from '../../../base/index.ts';
import { readCurrentTurn, readProcess, type TurnFiles, turnFiles, voidAttempt } from '../turn/turn-files.ts';

/** The identity of a process that has ended; no running process matches it. */
const GONE: ProcessIdentity = { pid: 2 ** 30, startTicks: -1, bootId: null };

/**
 * The process that runs an attempt, from process.json. If its gateway was killed before it could write that file, the
 * process is found by the attempt's number in its arguments. Throws if processes cannot be read.
 */
export function findRunner(files: TurnFiles, attempt: string): ProcessIdentity {
  const recorded = readProcess(files);
  if (recorded) return recorded.runner;
  let unread: unknown;
  for (const pid of runningPids()) {
    try {
      if (commandLineOf(pid).includes(attempt)) return identifyProcess(pid) ?? GONE;
    } catch (error) {
      if (isOwn(pid)) unread = error;
    }
  }
  if (unread !== undefined) throw unread;
  return GONE;
}

/** A runner belongs to this account. Linux may hide the arguments of other accounts' processes; those do not matter. */
function isOwn(pid: number): boolean {
  const uid = accountOf(pid);
  return uid !== undefined && uid === process.getuid?.();
}

/** The turn of this session that is running, if one is. Only for the holder of the lane. */
export function runningTurnId(root: string): string | undefined {
  const current = readCurrentTurn(root);
  if (current === undefined || current === 'unreadable' || current.settled) return undefined;
  const files = turnFiles(root, current.turn_id);
  if (voidAttempt(files, current.attempt)) return undefined;
  return isProcessAlive(findRunner(files, current.attempt)) ? current.turn_id : undefined;
}
