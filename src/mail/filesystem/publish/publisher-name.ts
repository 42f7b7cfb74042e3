import { bootId, identifyProcess, isProcessAlive } from '../../../base/index.ts';

/** In `unpublished`: nobody is at it. */
export const NOBODY = '-';
/** Those of this process that are open. */
const open = new Set<string>();
let instances = 0;

/** Names one publisher of this very process, so that others can tell whether it still lives. */
export function newPublisherName(): string {
  const self = identifyProcess(process.pid);
  const name = `${process.pid} ${self?.startTicks ?? '-'} ${bootId() ?? '-'} ${++instances}`;
  open.add(name);
  return name;
}

/** After this, another publisher takes over what this one left, although its process lives on. */
export function endPublisherName(name: string): void {
  open.delete(name);
}

export function isPublisherAlive(name: string): boolean {
  if (name === NOBODY) return false;
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
