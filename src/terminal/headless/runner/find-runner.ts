import {
  accountOf,
  commandLineOf,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  runningPids,
} from '../../../base/index.ts';
import { readCurrentTurn, readProcess, type TurnFiles, turnFiles, voidAttempt } from '../turn/turn-files.ts';

/** A process that has ended: no running one is ever taken for it. */
const GONE: ProcessIdentity = { pid: 2 ** 30, startTicks: -1, bootId: null };

/**
 * The process that runs an attempt. Recorded in process.json; when its gateway was killed before it could write that,
 * it is known by the attempt's own number, which only its arguments hold. Throws when processes cannot be looked at.
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

/** A runner is of this account; where Linux hides the arguments of other accounts' processes, theirs do not matter. */
function isOwn(pid: number): boolean {
  const uid = accountOf(pid);
  return uid !== undefined && uid === process.getuid?.();
}

/** A turn of this session that some process runs, whoever started it. For the holder of the lane only. */
export function runningTurnId(root: string): string | undefined {
  const current = readCurrentTurn(root);
  if (current === undefined || current === 'unreadable' || current.settled) return undefined;
  const files = turnFiles(root, current.turn_id);
  if (voidAttempt(files, current.attempt)) return undefined;
  return isProcessAlive(findRunner(files, current.attempt)) ? current.turn_id : undefined;
}
