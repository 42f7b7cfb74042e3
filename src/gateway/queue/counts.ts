import type { Sqlite } from '../../db/index.ts';

export interface Counts {
  /** Accepted and running requests. */
  live: number;
  /** All requests that are kept. */
  kept: number;
}

/**
 * The number of requests without counting each time: counted once at open, then updated in the transaction of every
 * change, and rolled back with it. The gateway is the only writer of its queue.
 */
export class RequestCounts {
  #db: Sqlite;
  #known: Counts;

  constructor(db: Sqlite) {
    this.#db = db;
    this.#known = db.get<Counts>(
      `SELECT (SELECT COUNT(*) FROM gateway_requests WHERE state = 'accepted')
            + (SELECT COUNT(*) FROM gateway_requests WHERE state = 'running') AS live,
              (SELECT COUNT(*) FROM gateway_requests) AS kept`,
    )!;
  }

  read(): Readonly<Counts> {
    return this.#known;
  }

  /** Runs inside the transaction of the change itself. */
  move(live: number, kept: number): void {
    this.#add(live, kept);
    this.#db.whenUndone(() => this.#add(-live, -kept));
  }

  #add(live: number, kept: number): void {
    this.#known = { live: this.#known.live + live, kept: this.#known.kept + kept };
  }
}
