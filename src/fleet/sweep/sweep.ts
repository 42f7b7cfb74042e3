import type { Sql } from '../../db/index.ts';

/** What a pass found, as JSON. Numbers at the top level become metrics. */
export type SweepResult = Record<string, unknown>;

export interface SweepPass {
  sql: Sql;
  /** Look, count, change nothing. */
  dryRun: boolean;
  /** Aborted when the time budget is over, the lease was lost or the server stops: end after the piece in hand. */
  signal: AbortSignal;
}

export interface Sweep<R extends SweepResult = SweepResult> {
  /** `request-nudge`: lower-case words, in routes and metrics. */
  name: string;
  summary: string;
  intervalMs: number;
  /** How long one pass may take; default the interval, at most a minute. */
  budgetMs?: number;
  /** Told when the sweeper starts, beside its interval. */
  facts?: Record<string, unknown>;
  /** Numbers of the result that are a state, not an amount: their last value counts, not their sum. */
  gauges?: readonly string[];
  /** A cheap look, before anything is written: is there perhaps something to do? Default: yes. */
  mayHaveWork?: (sql: Sql) => Promise<boolean>;
  run(pass: SweepPass): Promise<R>;
}
