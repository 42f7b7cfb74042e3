import { type Clock, isProcessAlive, type ProcessIdentity, signalProcess, sleep } from '../../base/index.ts';
import type { HAND_OVER_SIGNAL } from '../../domain/index.ts';

/** Waits until that very process has ended. False when the time is over first. */
export async function waitForEnd(
  identity: ProcessIdentity,
  timeoutMs: number,
  clock: Clock,
): Promise<boolean> {
  const deadline = clock.monotonic() + timeoutMs;
  for (let pause = 2; isProcessAlive(identity); pause = Math.min(50, pause * 1.5)) {
    if (clock.monotonic() >= deadline) return false;
    await sleep(clock, pause);
  }
  return true;
}

type Asked = 'SIGTERM' | typeof HAND_OVER_SIGNAL;

export type EndedBy = 'already' | Asked | 'SIGKILL' | 'nothing';

export interface EndOptions {
  patienceMs?: number;
  ask?: Asked;
}

/**
 * Asks a process to end, then makes it. Only that very process, start time and all, is ever signalled; one whose
 * start time is unknown is left alone. `nothing`: it still runs.
 */
export async function endProcess(
  identity: ProcessIdentity,
  clock: Clock,
  { patienceMs = 5000, ask = 'SIGTERM' }: EndOptions = {},
): Promise<EndedBy> {
  if (!isProcessAlive(identity)) return 'already';
  if (identity.startTicks === null) return 'nothing';
  signalProcess(identity, ask);
  if (await waitForEnd(identity, patienceMs, clock)) return ask;
  signalProcess(identity, 'SIGKILL');
  return (await waitForEnd(identity, 2000, clock)) ? 'SIGKILL' : 'nothing';
}
