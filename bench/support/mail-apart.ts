import type { ChildProcess } from 'node:child_process';
import { type Job, startJob, warmUp } from './mail-jobs.ts';
import { runTimeOf } from './process-costs.ts';
import { raceOf } from './race.ts';

/** What processes of their own reached together. */
export interface Apart {
  /** Per second. */
  rate: number;
  /** Processor time of one message in all processes that had to do with it, in milliseconds: load hardly moves it. */
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

/** So many processes that do the same, and the one they ask, if they ask one. */
export async function apart(
  producers: number,
  job: Extract<Job, Counts>,
  asked?: ChildProcess,
): Promise<Apart> {
  const spent = (): number => (asked ? runTimeOf(asked.pid!) / 1e6 : 0);
  let before = 0;
  const racers = Array.from({ length: producers }, () => startJob(job));
  const { seconds, said } = await raceOf(racers, () => {
    before = spent();
  });
  const ownMs = said.reduce((all, each) => all + Number(each), 0) / 1000;
  const messages = producers * job.count;
  return { rate: messages / seconds, cpuMs: (ownMs + spent() - before) / messages };
}
