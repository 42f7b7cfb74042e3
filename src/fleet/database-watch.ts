import { messageOf } from '../base/index.ts';
import { isDatabaseAway, type Sql } from '../db/index.ts';

/** What keeps the database from being written, as whoever uses it finds out; nobody asks it for the purpose. */
export class DatabaseWatch {
  /** The same database, under watch. */
  readonly sql: Sql;
  #trouble: string | undefined;

  constructor(sql: Sql) {
    const note = async <T>(work: Promise<T>, writes: boolean): Promise<T> => {
      try {
        const value = await work;
        if (writes) this.#trouble = undefined;
        return value;
      } catch (error) {
        if (isDatabaseAway(error)) this.#trouble = messageOf(error);
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
  }

  get reasons(): string[] {
    return this.#trouble === undefined ? [] : [`the database cannot be used: ${this.#trouble}`];
  }
}
