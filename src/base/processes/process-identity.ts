import { errnoOf } from '../errors.ts';
import { bootId, processStatus } from '../system/index.ts';

/** Identifies a process; a later process with the same pid is another one. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot; null if the system does not show it. */
  startTicks: number | null;
  bootId: string | null;
}

/** Undefined if there is no such process. Throws if its start time cannot be read. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  if (!pidExists(pid)) return undefined;
  return { pid, startTicks: processStatus(pid)?.startTicks ?? null, bootId: bootId() };
}

/** For a child just started. One that has already ended is never taken for a running process. */
export function identifyChild(pid: number): ProcessIdentity {
  try {
    return identifyProcess(pid) ?? { pid, startTicks: -1, bootId: null };
  } catch {
    return { pid, startTicks: null, bootId: bootId() };
  }
}

/** Whether exactly this process still runs. A zombie has ended. If it cannot be known, it counts as alive. */
export function isProcessAlive(identity: ProcessIdentity): boolean {
  try {
    return isThatProcess(identity);
  } catch {
    return true;
  }
}

/** The same for callers that are about to act on it: throws if it cannot be known. */
export function isThatProcess(identity: ProcessIdentity): boolean {
  if (!pidExists(identity.pid)) return false;
  const boot = bootId();
  if (identity.bootId !== null && boot !== null && identity.bootId !== boot) return false;
  const status = processStatus(identity.pid);
  // If the system does not show it, or hides the processes of others, the pid is all there is to know.
  if (!status) return pidExists(identity.pid);
  if (status.state === 'ended') return false;
  return identity.startTicks === null || status.startTicks === identity.startTicks;
}

/** Whether exactly this process was stopped (SIGSTOP). False if it cannot be known. */
export function isProcessStopped(identity: ProcessIdentity): boolean {
  try {
    return processStatus(identity.pid)?.state === 'stopped' && isThatProcess(identity);
  } catch {
    return false;
  }
}

/** Sends a signal only to exactly this process. False if it has ended; throws if that cannot be known. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isThatProcess(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Needs no descriptor, so it works when no file can be opened. */
export function pidExists(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
