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
 * Ends a process group by its leader: SIGTERM, a pause, SIGKILL. Members that outlive the leader are ended too. `ended`
 * resolves when the leader has ended.
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
  // The system does not reuse a group number while a member lives, and the leader lived a moment ago.
  kill(leader.pid, 'SIGKILL');
  await ended;
}

/** Whether it can be determined now if the leader runs. */
function isKnown(leader: ProcessIdentity): boolean {
  try {
    isThatProcess(leader);
    return true;
  } catch {
    return false;
  }
}

/** Returns false if that leader has ended: another process may have its number. Throws if that cannot be determined. */
export function signalGroup(leader: ProcessIdentity, signal: NodeJS.Signals): boolean {
  return isThatProcess(leader) && kill(leader.pid, signal);
}

/**
 * Ends a group whose leader was killed alone. A known member proves that the group is still the same. Throws, and signals
 * nothing, if that cannot be determined.
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
