import { type Clock, Loop, messageOf, type NextPass } from '../base/index.ts';
import { isDatabaseAway, isDatabaseFull, type Sql } from '../db/index.ts';

/** A write that changes nothing but that the database must bring to its disk. */
const PROBE = 'UPDATE sweepers SET runs = runs WHERE name = (SELECT min(name) FROM sweepers)';
/** Sorts more rows than fit in memory: a temporary file of about a megabyte, removed with the statement. */
const TAKE_ROOM = {
  limit: "SET LOCAL work_mem = '64kB'",
  rows: 'SELECT count(*) FROM generate_series(1, 50000)',
};
const PAUSES = { firstMs: 500, maxMs: 15_000 };

/**
 * What keeps the database from being written, as found by the code that uses it; a healthy database is never probed.
 * One that is away is probed with growing pauses until it takes a write, so that health is right even when no one
 * writes. On a full disk small writes still fit into existing pages, so the database is healthy again only when it can
 * take more space.
 */
export class DatabaseWatch {
  /** The same database, watched. */
  readonly sql: Sql;
  readonly #probing: Loop;
  #trouble: string | undefined;
  #isFull = false;

  constructor(sql: Sql, clock: Clock) {
    const note = async <T>(work: Promise<T>, writes: boolean): Promise<T> => {
      try {
        const value = await work;
        if (writes && !this.#isFull) this.#trouble = undefined;
        return value;
      } catch (error) {
        if (isDatabaseAway(error)) this.#away(error);
        throw error;
      }
    };
    this.sql = {
      dialect: sql.dialect,
      query: (text, params, options) => note(sql.query(text, params, options), !/^\s*SELECT\b/i.test(text)),
      exec: (text) => note(sql.exec(text), true),
      transaction: (fn, options) => note(sql.transaction(fn, options), options?.readOnly !== true),
      listen: (channel, onNotice) => sql.listen(channel, onNotice),
      notify: (channel, payload) => sql.notify(channel, payload),
      close: () => sql.close(),
    };
    this.#probing = new Loop({
      name: 'database watch',
      clock,
      backoff: PAUSES,
      pass: async (): Promise<NextPass> => {
        if (this.#isFull) await sql.transaction(takeRoom);
        this.#isFull = false;
        if (this.#trouble !== undefined) await this.sql.query(PROBE);
        return 'idle';
      },
    });
  }

  start(): this {
    this.#probing.start();
    return this;
  }

  stop(): Promise<void> {
    return this.#probing.stop();
  }

  get reasons(): string[] {
    return this.#trouble === undefined ? [] : [`the database cannot be used: ${this.#trouble}`];
  }

  #away(error: unknown): void {
    const isNew = this.#trouble === undefined;
    this.#trouble = messageOf(error);
    this.#isFull ||= isDatabaseFull(error);
    // A running probe keeps its own pauses.
    if (isNew) this.#probing.wake();
  }
}

async function takeRoom(sql: Sql): Promise<void> {
  await sql.exec(TAKE_ROOM.limit);
  await sql.query(TAKE_ROOM.rows);
}
