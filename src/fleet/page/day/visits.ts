import type { Clock } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';

/** When each person was last here. Written when they leave or say so, never by a look. */
export class Visits {
  readonly #sql: Sql;
  readonly #clock: Clock;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  async lastOf(name: string): Promise<Date | undefined> {
    const { rows } = await this.#sql.query<{ at: Date }>('SELECT at FROM page_visits WHERE name = $1', [
      name,
    ]);
    return rows[0]?.at;
  }

  async mark(name: string): Promise<void> {
    await this.#sql.query(
      'INSERT INTO page_visits (name, at) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET at = excluded.at',
      [name, this.#clock.now()],
    );
  }
}
