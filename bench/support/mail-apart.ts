import type { ChildProcess } from 'node:child_process';
import { type Job, startJob, warmUp } from './mail-jobs.ts';
import { runTimeOf } from './process-costs.ts';
import { raceOf } from './race.ts';

/** The combined result of separate processes. */
export interface Apart {
  /** Per second. */
  rate: number;
  /** Processor time of one message in all processes involved, in milliseconds; other load hardly affects it. */
  cpuMs: number;
}

export interface Counts {
  count: number;
  warmUp: number;
}

export const countsFor = (producers: number): Counts => ({
  count: Math.ceil(1600 / producers),
  warmUp: warmUp(producers),
});

/** Runs processes that do the same, and the gateway they call, if any. */
export async function apart(
  producers: number,
  job: Extract<Job, Counts>,
  asked?: ChildProcess,
): Promise<Apart> {
  const spent = (): number => (asked ? runTimeOf(asked.pid!) / 1e6 : 0);
  let before = 0;
  const racers = Array.from({ length: producers }, () => startJob(job));
  const { seconds, printed } = await raceOf(racers, () => {
    before = spent();
  });
  const ownMs = printed.reduce((all, each) => all + Number(each), 0) / 1000;
  const messages = producers * job.count;
  return { rate: messages / seconds, cpuMs: (ownMs + spent() - before) / messages };
}
