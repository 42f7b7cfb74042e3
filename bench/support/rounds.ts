/** One way to do the same work. `op` resolves when the work is durable. */
export interface Contender {
  name: string;
  op: () => Promise<unknown> | unknown;
  /** Runs all clients of a slice in a separate process. Default: in this process. */
  slice?: (slice: Slice) => Promise<Played>;
}

export interface Slice {
  clients: number;
  ms: number;
}

export interface Played {
  times: number[];
  spentMs: number;
}

export interface Measured {
  perSecond: number;
  count: number;
  p50: number;
  p99: number;
}

/** Fills caches and grows logs to their size, which takes some hundred transactions. */
export async function warmUp(contenders: readonly Contender[], operations: number): Promise<void> {
  for (const { op } of contenders) for (let i = 0; i < operations; i++) await op();
}

/**
 * Runs the contenders in short alternating slices over several rounds, so other load affects all of them. The order differs
 * between rounds, because a contender after a busy one pays for its garbage and unwritten data. Latency is the time from one
 * completion of a client to its next, so it includes the wait for the other clients.
 */
export async function inTurn(
  contenders: readonly Contender[],
  { clients, rounds, sliceMs }: { clients: number; rounds: number; sliceMs: number },
): Promise<Map<string, Measured>> {
  const times = new Map(contenders.map(({ name }) => [name, [] as number[]]));
  const spent = new Map(contenders.map(({ name }) => [name, 0]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, op, slice = (asked: Slice) => playSlice(op, asked) } of shuffled(contenders)) {
      const played = await slice({ clients, ms: sliceMs });
      for (const time of played.times) times.get(name)!.push(time);
      spent.set(name, spent.get(name)! + played.spentMs);
    }
  }
  return new Map(contenders.map(({ name }) => [name, summary(times.get(name)!, spent.get(name)!)]));
}

export async function playSlice(op: Contender['op'], { clients, ms }: Slice): Promise<Played> {
  const times: number[] = [];
  const begun = performance.now();
  await Promise.all(Array.from({ length: clients }, () => client(op, begun + ms, times)));
  return { times, spentMs: performance.now() - begun };
}

function shuffled<T>(all: readonly T[]): T[] {
  const rest = [...all];
  return all.map(() => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]!);
}

async function client(op: Contender['op'], until: number, times: number[]): Promise<void> {
  for (let last = performance.now(); last < until; ) {
    await op();
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
}

export function summary(times: number[], spentMs: number): Measured {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { perSecond: times.length / (spentMs / 1000), count: times.length, p50: at(0.5), p99: at(0.99) };
}

export function line(name: string, { perSecond, p50, p99 }: Measured, beside?: Measured): string {
  const ratio =
    beside && beside !== undefined ? `   ours is ${(beside.perSecond / perSecond).toFixed(1)}x` : '';
  return `  ${name.padEnd(44)} ${perSecond.toFixed(0).padStart(7)}/s   p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms${ratio}`;
}
