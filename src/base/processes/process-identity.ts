import * as fs from 'node:fs';
import { errnoOf } from '../errors.ts';

/** A process that cannot be confused with a later one of the same pid. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in clock ticks since boot, from /proc; null where /proc is absent. */
  startTicks: number | null;
  bootId: string | null;
}

interface ProcStat {
  parent: number;
  processGroup: number;
  /** The number of its terminal's device; 0 without one. */
  terminal: number;
  foregroundGroup: number;
  startTicks: number;
  state: string;
  command: string;
}

/** The facts of /proc/<pid>/stat, or undefined when there is no such process. */
export function readProcStat(pid: number): ProcStat | undefined {
  let text: string;
  try {
    text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const rest = text.slice(close + 2).split(' ');
  return {
    command: text.slice(open + 1, close),
    state: rest[0] ?? '?',
    parent: Number(rest[1]),
    processGroup: Number(rest[2]),
    terminal: Number(rest[4]),
    foregroundGroup: Number(rest[5]),
    startTicks: Number(rest[19]),
  };
}

let bootIdCache: string | null | undefined;

export function bootId(): string | null {
  if (bootIdCache === undefined) {
    try {
      bootIdCache = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    } catch {
      bootIdCache = null;
    }
  }
  return bootIdCache;
}

export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const stat = readProcStat(pid);
  if (stat) return { pid, startTicks: stat.startTicks, bootId: bootId() };
  return pidExists(pid) ? { pid, startTicks: null, bootId: bootId() } : undefined;
}

/** Whether that very process still runs. A zombie has ended; on doubt it is alive. */
export function isProcessAlive(identity: ProcessIdentity): boolean {
  if (identity.bootId !== null && bootId() !== null && identity.bootId !== bootId()) return false;
  const stat = readProcStat(identity.pid);
  if (!stat) return !fs.existsSync('/proc/self/stat') && pidExists(identity.pid);
  if (stat.state === 'Z' || stat.state === 'X') return false;
  return identity.startTicks === null || stat.startTicks === identity.startTicks;
}

/** Sends a signal only to that very process. False when it has ended already. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!isProcessAlive(identity)) return false;
  try {
    process.kill(identity.pid, signal);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    throw error;
  }
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}
