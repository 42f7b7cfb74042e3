import { bootId, identifyProcess, isProcessAlive } from '../../../base/index.ts';

/** In `unpublished`: nobody is at it. */
export const NOBODY = '-';
let instances = 0;

/** Names one publisher of this very process, so that others can tell whether it still lives. */
export function newPublisherName(): string {
  const self = identifyProcess(process.pid);
  return `${process.pid} ${self?.startTicks ?? '-'} ${bootId() ?? '-'} ${++instances}`;
}

export function isPublisherAlive(name: string): boolean {
  if (name === NOBODY) return false;
  const [pid, startTicks, boot] = name.split(' ');
  return isProcessAlive({
    pid: Number(pid),
    startTicks: startTicks === '-' ? null : Number(startTicks),
    bootId: boot === '-' ? null : (boot ?? null),
  });
}
