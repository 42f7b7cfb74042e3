import { type Clock, type Log, Loop, messageOf, unavailable } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { endLease, keepLease, type Lease, takeLease } from './lease.ts';
import type { Sweep, SweepResult } from './sweep.ts';

export interface SweeperOptions {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** The id of this server among those that share the database. */
  holder: string;
  /** Returns 0 up to, not including, 1. Spreads the passes of many servers. */
  random: () => number;
}

/** The result of one pass. `skipped` says why there was none. */
export type PassOutcome = DonePass | { outcome: 'skipped'; reason: 'running' | 'lease' | 'nothing' };

interface DonePass {
  outcome: 'done';
  result: SweepResult;
  duration_ms: number;
}

/** Since the start of this process. */
export interface PassCounts {
  passes: number;
  skipped: number;
  failures: number;
  seconds: number;
  /** The numbers of all results by name: amounts summed, states with their last value. */
  totals: Map<string, number>;
}

const MAX_BUDGET_MS = 60_000;
const JITTER = 0.1;

/** Runs one sweep again and again. */
export class Sweeper {
  readonly sweep: Sweep;
  readonly counts: PassCounts = { passes: 0, skipped: 0, failures: 0, seconds: 0, totals: new Map() };
  #options: SweeperOptions;
  #loop: Loop;
  #running = false;
  #stopped = false;
  #inFlight = new Map<AbortController, Promise<unknown>>();

  constructor(sweep: Sweep, options: SweeperOptions) {
    this.sweep = sweep;
    this.#options = options;
    const { clock, log, random } = options;
    this.#loop = new Loop({
      name: sweep.name,
      clock,
      backoff: { firstMs: 1000, maxMs: Math.min(30_000, sweep.intervalMs) },
      pass: async () => {
        await this.run({ dryRun: false, always: false });
        return Math.round(sweep.intervalMs * (1 + JITTER * random()));
      },
      onTrouble: (trouble, error) => {
        if (trouble)
          log.error(`sweeper ${sweep.name} failed; it will try again`, { cause: messageOf(error) });
        else log.info(`sweeper ${sweep.name} works again`);
      },
    });
  }

  get running(): boolean {
    return this.#running;
  }

  get trouble(): Loop['trouble'] {
    return this.#loop.trouble;
  }

  /** Emitted after each tick, also a failed one. */
  get ticked(): Loop['passed'] {
    return this.#loop.passed;
  }

  start(): void {
    const { name, intervalMs, facts } = this.sweep;
    this.#options.log.info(`sweeper ${name} started`, { interval_s: intervalMs / 1000, ...facts });
    this.#loop.start();
  }

  /** Asks running passes to end and waits for them. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const over of this.#inFlight.keys()) over.abort();
    await this.#loop.stop();
    await Promise.allSettled(this.#inFlight.values());
    this.#options.log.info(`sweeper ${this.sweep.name} stopped`);
  }

  /** Runs one pass now. A dry run may run beside another pass, since it changes nothing. */
  async run({ dryRun, always }: { dryRun: boolean; always: boolean }): Promise<PassOutcome> {
    if (this.#stopped) throw unavailable(`sweeper ${this.sweep.name} is stopping`);
    const over = new AbortController();
    const pass = dryRun ? this.#pass(over, true) : this.#alone(over, always);
    this.#inFlight.set(over, pass);
    try {
      return await pass;
    } finally {
      this.#inFlight.delete(over);
    }
  }

  async #alone(over: AbortController, always: boolean): Promise<PassOutcome> {
    if (this.#running) return this.#skipped('running');
    this.#running = true;
    try {
      return await this.#leased(over, always);
    } catch (error) {
      this.counts.failures++;
      throw error;
    } finally {
      this.#running = false;
    }
  }

  async #leased(over: AbortController, always: boolean): Promise<PassOutcome> {
    const { sql, log, holder } = this.#options;
    if (!always && this.sweep.mayHaveWork && !(await this.sweep.mayHaveWork(sql)))
      return this.#skipped('nothing');
    const lease: Lease = { name: this.sweep.name, holder };
    if (!(await takeLease(sql, lease))) return this.#skipped('lease');
    const end = (result: SweepResult | null, error: string | null): Promise<void> =>
      endLease(sql, lease, { result, error }).catch((failure) => {
        log.warn(`sweeper ${lease.name} could not record its pass`, { cause: messageOf(failure) });
      });
    try {
      const done = await this.#pass(over, false, lease);
      await end({ ...done.result, duration_ms: done.duration_ms }, null);
      this.#count(done.result, done.duration_ms);
      return done;
    } catch (error) {
      await end(null, messageOf(error));
      throw error;
    }
  }

  /** Runs within the time budget and, under a lease, while the lease is ours. */
  async #pass(over: AbortController, dryRun: boolean, lease?: Lease): Promise<DonePass> {
    const { sql, clock } = this.#options;
    const { intervalMs, budgetMs = Math.min(intervalMs, MAX_BUDGET_MS) } = this.sweep;
    const abort = (): void => over.abort();
    const cancelBudget = clock.after(budgetMs, abort);
    const stopKeeping = lease && keepLease(sql, clock, { lease, onLost: abort });
    const began = clock.monotonic();
    try {
      const result = await this.sweep.run({ sql, dryRun, signal: over.signal });
      return { outcome: 'done', result, duration_ms: Math.round(clock.monotonic() - began) };
    } finally {
      cancelBudget();
      stopKeeping?.();
    }
  }

  #skipped(reason: 'running' | 'lease' | 'nothing'): PassOutcome {
    this.counts.skipped++;
    return { outcome: 'skipped', reason };
  }

  #count(result: SweepResult, durationMs: number): void {
    this.counts.passes++;
    this.counts.seconds += durationMs / 1000;
    for (const [field, value] of Object.entries(result)) {
      if (typeof value !== 'number') continue;
      const before = this.sweep.gauges?.includes(field) ? 0 : (this.counts.totals.get(field) ?? 0);
      this.counts.totals.set(field, before + value);
    }
  }
}
