import {
  type Clock,
  internal,
  type Log,
  type Metric,
  type MetricSeries,
  metricText,
  newUuid,
  notFound,
} from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { Sweep, SweepResult } from './sweep.ts';
import { type PassOutcome, Sweeper } from './sweeper.ts';

export interface SweepersOptions {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** The id of this server among those that share the database. Default: a new id. */
  holder?: string;
  random?: () => number;
}

/** A sweeper as administrators see it. Stored fields cover all servers, the others only this one. */
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

  /** Runs one pass now, whatever the interval. */
  async run(name: string, { dryRun = false } = {}): Promise<SweeperRun> {
    const sweeper = this.#all.get(name);
    if (!sweeper) {
      throw notFound(`there is no sweeper "${name.slice(0, 60)}"`, {
        hint: `there are: ${[...this.#all.keys()].join(', ') || 'none'}`,
      });
    }
    return { name, dry_run: dryRun, ...(await sweeper.run({ dryRun, always: true })) };
  }

  /** Sweepers that fail and are being retried, one sentence each. */
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

  /** Prometheus text: what this process's sweepers did since it started. */
  metrics(): string {
    const all = [...this.#all.values()];
    const each = (value: (sweeper: Sweeper) => number): MetricSeries[] =>
      all.map((sweeper) => [{ sweeper: sweeper.sweep.name }, value(sweeper)]);
    const numbers = (wanted: 'gauges' | 'amounts'): MetricSeries[] =>
      all.flatMap(({ sweep, counts }) =>
        [...counts.totals]
          .filter(([field]) => (sweep.gauges?.includes(field) ?? false) === (wanted === 'gauges'))
          .map(([field, value]): MetricSeries => [{ sweeper: sweep.name, field }, value]),
      );
    const metric = (name: string, type: Metric['type'], help: string, series: MetricSeries[]): Metric => ({
      ...{ name: `rouse_sweeper_${name}`, type, help, series },
    });
    return metricText([
      metric(
        'passes_total',
        'counter',
        'Passes of each sweeper.',
        each(({ counts }) => counts.passes),
      ),
      metric(
        'skipped_total',
        'counter',
        'Passes left to another server.',
        each(({ counts }) => counts.skipped),
      ),
      metric(
        'failures_total',
        'counter',
        'Passes that failed.',
        each(({ counts }) => counts.failures),
      ),
      metric(
        'seconds_total',
        'counter',
        'Time spent in passes.',
        each(({ counts }) => counts.seconds),
      ),
      metric('result_total', 'counter', 'What the passes did, by field.', numbers('amounts')),
      metric('state', 'gauge', 'What the last pass found, by field.', numbers('gauges')),
      metric(
        'running',
        'gauge',
        '1 while a pass runs.',
        each(({ running }) => Number(running)),
      ),
    ]);
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
