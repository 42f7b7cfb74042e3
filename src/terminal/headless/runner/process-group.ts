import {
  type Clock,
  errnoOf,
  isThatProcess,
  type ProcessIdentity,
  processStatus,
  sleep,
} from '../../../base/index.ts';

const LOOK_AGAIN_MS = 100;

/**
 * Ends a process group by its leader: asks, waits, insists. Whatever of the group outlives its leader is ended too.
 * `ended` resolves when the leader has ended.
 */
export async function endGroup(
  leader: ProcessIdentity,
  ended: Promise<unknown>,
  { clock, graceMs }: { clock: Clock; graceMs: number },
): Promise<void> {
  const done = new AbortController();
  void ended.then(() => done.abort());
  while (!done.signal.aborted && !isKnown(leader)) await sleep(clock, LOOK_AGAIN_MS, done.signal);
  if (done.signal.aborted || !signalGroup(leader, 'SIGTERM')) return;
  await sleep(clock, graceMs, done.signal);
  // A group number is not given away while a member lives, and the leader lived a moment ago.
  kill(leader.pid, 'SIGKILL');
  await ended;
}

/** Whether it can be known now that the leader runs, or does not. */
function isKnown(leader: ProcessIdentity): boolean {
  try {
    isThatProcess(leader);
    return true;
  } catch {
    return false;
  }
}

/** False when that very leader has ended: its number may belong to another by now. Throws when that cannot be known. */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isThatProcess(leader) && kill(leader.pid, signal);
}

/**
 * The leader was killed and could not take its group along. A member we know shows that the group is still the same.
 * Throws when that cannot be known; then nothing is signalled.
 */
export function endLeftOver(leader: ProcessIdentity, member: number | undefined): void {
  if (member !== undefined && processStatus(member)?.processGroup === leader.pid) kill(leader.pid, 'SIGKILL');
}

function kill(group: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    throw error;
  }
}
