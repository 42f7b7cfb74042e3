import { type Clock, internal, type Log, newUuid, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { Sweep, SweepResult } from './sweep.ts';
import { type PassOutcome, Sweeper } from './sweeper.ts';

export interface SweepersOptions {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Who this server is among those that share the database; default a new id. */
  holder?: string;
  random?: () => number;
}

/** A sweeper as administrators see it: the stored fields are of all servers, the others of this one. */
export interface SweeperView {
  name: string;
  summary: string;
  interval_seconds: number;
  running: boolean;
  holder: string | null;
  lease_until: Date | null;
  last_started_at: Date | null;
  last_finished_at: Date | null;
  last_result: SweepResult | null;
  last_error: string | null;
  runs: number;
  failures: number;
}

export type SweeperRun = { name: string; dry_run: boolean } & PassOutcome;

type Stored = Omit<SweeperView, 'summary' | 'interval_seconds' | 'running'>;

/** All sweepers of one server. */
export class Sweepers {
  #options: Required<SweepersOptions>;
  #all = new Map<string, Sweeper>();

  constructor(options: SweepersOptions) {
    this.#options = { holder: newUuid(), random: Math.random, ...options };
  }

  add(sweep: Sweep): Sweeper {
    if (this.#all.has(sweep.name)) throw internal(`two sweepers are called ${sweep.name}`);
    const sweeper = new Sweeper(sweep, this.#options);
    this.#all.set(sweep.name, sweeper);
    return sweeper;
  }

  start(): this {
    for (const sweeper of this.#all.values()) sweeper.start();
    return this;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#all.values()].map((sweeper) => sweeper.stop()));
  }

  /** One pass now, whatever the interval says. */
  async run(name: string, { dryRun = false } = {}): Promise<SweeperRun> {
    const sweeper = this.#all.get(name);
    if (!sweeper) {
      throw notFound(`there is no sweeper "${name.slice(0, 60)}"`, {
        hint: `there are: ${[...this.#all.keys()].join(', ') || 'none'}`,
      });
    }
    return { name, dry_run: dryRun, ...(await sweeper.run({ dryRun, always: true })) };
  }

  /** Those that fail and are being tried again, a sentence each. */
  troubles(): string[] {
    return [...this.#all.values()].flatMap(({ sweep, trouble }) =>
      trouble ? [`sweeper ${sweep.name} fails: ${trouble.message}`] : [],
    );
  }

  async views(): Promise<SweeperView[]> {
    const { rows } = await this.#options.sql.query<Stored>(
      `SELECT name, holder, lease_until, last_started_at, last_finished_at, last_result, last_error, runs, failures
         FROM sweepers WHERE name = ANY($1::text[])`,
      [[...this.#all.keys()]],
    );
    const stored = new Map(rows.map((row) => [row.name, row]));
    return [...this.#all.values()].map(({ sweep, running }) => ({
      ...(stored.get(sweep.name) ?? never(sweep.name)),
      summary: sweep.summary,
      interval_seconds: sweep.intervalMs / 1000,
      running,
    }));
  }

  /** Prometheus text: what the sweepers of this process did since it started. */
  metrics(): string {
    const all = [...this.#all.values()];
    const family = (name: string, type: string, rows: [string, number][]): string =>
      [`# TYPE ${name} ${type}`, ...rows.map(([labels, value]) => `${name}{${labels}} ${value}`)].join('\n');
    const each = (value: (sweeper: Sweeper) => number): [string, number][] =>
      all.map((sweeper) => [`sweeper="${sweeper.sweep.name}"`, value(sweeper)]);
    const numbers = (wanted: 'gauges' | 'amounts'): [string, number][] =>
      all.flatMap(({ sweep, counts }) =>
        [...counts.totals]
          .filter(([field]) => (sweep.gauges?.includes(field) ?? false) === (wanted === 'gauges'))
          .map(([field, value]): [string, number] => [`sweeper="${sweep.name}",field="${field}"`, value]),
      );
    return `${[
      family(
        'rouse_sweeper_passes_total',
        'counter',
        each(({ counts }) => counts.passes),
      ),
      family(
        'rouse_sweeper_skipped_total',
        'counter',
        each(({ counts }) => counts.skipped),
      ),
      family(
        'rouse_sweeper_failures_total',
        'counter',
        each(({ counts }) => counts.failures),
      ),
      family(
        'rouse_sweeper_seconds_total',
        'counter',
        each(({ counts }) => counts.seconds),
      ),
      family('rouse_sweeper_result_total', 'counter', numbers('amounts')),
      family('rouse_sweeper_state', 'gauge', numbers('gauges')),
      family(
        'rouse_sweeper_running',
        'gauge',
        each(({ running }) => Number(running)),
      ),
    ].join('\n')}\n`;
  }
}

function never(name: string): Stored {
  return {
    name,
    holder: null,
    lease_until: null,
    last_started_at: null,
    last_finished_at: null,
    last_result: null,
    last_error: null,
    runs: 0,
    failures: 0,
  };
}
