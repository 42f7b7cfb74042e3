import type { Sqlite } from '../../db/index.ts';

export interface Counts {
  /** Accepted and running requests. */
  live: number;
  /** All requests that are kept. */
  kept: number;
}

/**
 * How many requests there are, without counting them at every question: counted once at open, and from then on moved by
 * triggers of this connection inside its transactions, so that what is rolled back is not counted. Nothing of it is on
 * disk; the gateway is the only writer of its queue.
 */
export class RequestCounts {
  #db: Sqlite;

  constructor(db: Sqlite) {
    this.#db = db;
    const live = (row: string): string => `(${row}.state IN ('accepted', 'running'))`;
    db.exec(`
      CREATE TEMP TABLE IF NOT EXISTS request_counts AS
        SELECT (SELECT COUNT(*) FROM gateway_requests WHERE state = 'accepted')
             + (SELECT COUNT(*) FROM gateway_requests WHERE state = 'running') AS live,
               (SELECT COUNT(*) FROM gateway_requests) AS kept;
      CREATE TEMP TRIGGER IF NOT EXISTS request_counted AFTER INSERT ON main.gateway_requests BEGIN
        UPDATE request_counts SET live = live + ${live('NEW')}, kept = kept + 1;
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS request_recounted AFTER UPDATE OF state ON main.gateway_requests
        WHEN ${live('OLD')} <> ${live('NEW')} BEGIN
        UPDATE request_counts SET live = live + ${live('NEW')} - ${live('OLD')};
      END;
      CREATE TEMP TRIGGER IF NOT EXISTS request_uncounted AFTER DELETE ON main.gateway_requests BEGIN
        UPDATE request_counts SET live = live - ${live('OLD')}, kept = kept - 1;
      END;
    `);
  }

  read(): Counts {
    return this.#db.get<Counts & Record<string, unknown>>('SELECT live, kept FROM temp.request_counts')!;
  }
}
