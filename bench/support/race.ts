import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A process that prints a line when it is ready, waits for a line, works, and prints a line when it is done. */
export function startRacer(command: string, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(command, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
}

export interface Race {
  /** From the start signal to the last result, without what a process does before and after. */
  seconds: number;
  /** The line that each printed when it was done. */
  printed: string[];
}

/** The seconds that a race took. */
export async function race(racers: readonly ChildProcess[]): Promise<number> {
  return (await raceOf(racers)).seconds;
}

export async function raceOf(racers: readonly ChildProcess[], ready: () => void = () => {}): Promise<Race> {
  const ends = racers.map(async (racer) => (await once(racer, 'close'))[0] as number | null);
  const early = ends.map(async (end) => {
    throw new Error(`a writer ended too early (${await end})`);
  });
  const nextLines = () =>
    Promise.all(racers.map((racer) => once(racer.stdout!, 'data') as Promise<[Buffer]>));
  await Promise.race([nextLines(), ...early]);
  ready();
  const start = performance.now();
  const done = nextLines();
  for (const racer of racers) racer.stdin!.write('go\n');
  await Promise.race([done, Promise.all(ends)]);
  const seconds = (performance.now() - start) / 1000;
  for (const each of early) each.catch(() => {});
  const codes = await Promise.all(ends);
  if (codes.some((code) => code !== 0)) throw new Error(`a writer failed: ${codes.join(' ')}`);
  return { seconds, printed: (await done).map(([data]) => String(data)) };
}
