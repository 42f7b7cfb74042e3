import type { Sql } from '../../db/index.ts';

/** What a pass found, as JSON. Numbers at the top level become metrics. */
export type SweepResult = Record<string, unknown>;

export interface SweepPass {
  sql: Sql;
  /** Count only; change nothing. */
  dryRun: boolean;
  /** Aborted when the time budget is used up, the lease was lost or the server stops: end after the current piece. */
  signal: AbortSignal;
}

export interface Sweep<R extends SweepResult = SweepResult> {
  /** `request-nudge`: lower-case words, in routes and metrics. */
  name: string;
  summary: string;
  intervalMs: number;
  /** How long one pass may take. Default: the interval, at most a minute. */
  budgetMs?: number;
  /** Logged when the sweeper starts, with its interval. */
  facts?: Record<string, unknown>;
  /** Numbers of the result that are a state, not an amount: the last value counts, not the sum. */
  gauges?: readonly string[];
  /** A cheap check before anything is written: may there be something to do? Default: yes. */
  mayHaveWork?: (sql: Sql) => Promise<boolean>;
  run(pass: SweepPass): Promise<R>;
}
