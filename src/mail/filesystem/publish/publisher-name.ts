import { bootId, identifyProcess, isProcessAlive } from '../../../base/index.ts';

/** In `unpublished`: no publisher works on it. */
export const NO_PUBLISHER = '-';
/** The open publishers of this process. */
const open = new Set<string>();
let instances = 0;

/** Returns a unique name from which others can check whether this publisher's process is alive. */
export function newPublisherName(): string {
  const self = identifyProcess(process.pid);
  const name = `${process.pid} ${self?.startTicks ?? '-'} ${bootId() ?? '-'} ${++instances}`;
  open.add(name);
  return name;
}

/** From now on another publisher may take over what this one left, although its process is alive. */
export function endPublisherName(name: string): void {
  open.delete(name);
}

export function isPublisherAlive(name: string): boolean {
  if (name === NO_PUBLISHER) return false;
  if (open.has(name)) return true;
  const [pid, startTicks, boot] = name.split(' ');
  const own = identifyProcess(process.pid);
  if (Number(pid) === process.pid && startTicks === String(own?.startTicks ?? '-')) return false;
  return isProcessAlive({
    pid: Number(pid),
    startTicks: startTicks === '-' ? null : Number(startTicks),
    bootId: boot === '-' ? null : (boot ?? null),
  });
}
