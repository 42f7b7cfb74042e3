import { type Clock, Loop, messageOf, type NextPass } from '../base/index.ts';
import { isDatabaseAway, type Sql } from '../db/index.ts';

/** A write that changes nothing, and that the database must bring to its disk. */
const PROBE = 'UPDATE sweepers SET runs = runs WHERE name = (SELECT min(name) FROM sweepers)';
const PAUSES = { firstMs: 500, maxMs: 15_000 };

/**
 * What keeps the database from being written, as whoever uses it finds out; nobody asks it for the purpose while it is well.
 * One that is away is tried with growing pauses until it takes a write, so that its health is told when nobody writes.
 */
export class DatabaseWatch {
  /** The same database, under watch. */
  readonly sql: Sql;
  readonly #probing: Loop;
  #trouble: string | undefined;

  constructor(sql: Sql, clock: Clock) {
    const note = async <T>(work: Promise<T>, writes: boolean): Promise<T> => {
      try {
        const value = await work;
        if (writes) this.#trouble = undefined;
        return value;
      } catch (error) {
        if (isDatabaseAway(error)) this.#away(messageOf(error));
        throw error;
      }
    };
    this.sql = {
      dialect: sql.dialect,
      query: (text, params, options) => note(sql.query(text, params, options), !/^\s*SELECT\b/i.test(text)),
      exec: (text) => note(sql.exec(text), true),
      transaction: (fn, options) => note(sql.transaction(fn, options), options?.readOnly !== true),
      listen: (channel, hear) => sql.listen(channel, hear),
      notify: (channel, payload) => sql.notify(channel, payload),
      close: () => sql.close(),
    };
    this.#probing = new Loop({
      name: 'database watch',
      clock,
      backoff: PAUSES,
      pass: async (): Promise<NextPass> => {
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

  #away(message: string): void {
    const isNew = this.#trouble === undefined;
    this.#trouble = message;
    // A probe under way goes on with its own pauses.
    if (isNew) this.#probing.wake();
  }
}
