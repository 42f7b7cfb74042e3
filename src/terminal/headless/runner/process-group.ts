import {
  type Clock,
  errnoOf,
  isProcessAlive,
  type ProcessIdentity,
  readProcStat,
  sleep,
} from '../../../base/index.ts';

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
  if (!signalGroup(leader, 'SIGTERM')) return;
  await sleep(clock, graceMs, done.signal);
  // A group number is not given away while a member lives, and the leader lived a moment ago.
  kill(leader.pid, 'SIGKILL');
  await ended;
}

/** False when that very leader has ended: its number may belong to somebody else by now. */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isProcessAlive(leader) && kill(leader.pid, signal);
}

/** The leader was killed and could not take its group along. A member we know tells that the group is still the same. */
export function endLeftOver(leader: ProcessIdentity, member: number | undefined): void {
  if (member !== undefined && readProcStat(member)?.processGroup === leader.pid) kill(leader.pid, 'SIGKILL');
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
