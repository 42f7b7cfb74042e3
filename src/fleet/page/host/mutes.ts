import type { Clock } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import type { PageSnapshot } from '../../../wire/index.ts';

/** A forgotten mute ends by itself. */
const MAX_AGE_MS = 30 * 86_400_000;

/** The agents whose needs a person hides. Only a view: nothing about the agent changes, and no one else notices. */
export class Mutes {
  readonly #sql: Sql;
  readonly #clock: Clock;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  async of(person: string): Promise<PageSnapshot['muted']> {
    const { rows } = await this.#sql.query<{ id: string; state: string }>(
      'SELECT agent_id AS id, state FROM page_mutes WHERE person = $1 AND at > $2 ORDER BY agent_id',
      [person, this.#oldest()],
    );
    return rows;
  }

  async mute(person: string, agentId: string, state: string): Promise<void> {
    await this.#sql.query('DELETE FROM page_mutes WHERE at <= $1', [this.#oldest()]);
    await this.#sql.query(
      `INSERT INTO page_mutes (person, agent_id, state, at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (person, agent_id) DO UPDATE SET state = excluded.state, at = excluded.at`,
      [person, agentId, state, this.#clock.now()],
    );
  }

  async unmute(person: string, agentId: string): Promise<void> {
    await this.#sql.query('DELETE FROM page_mutes WHERE person = $1 AND agent_id = $2', [person, agentId]);
  }

  #oldest(): Date {
    return new Date(this.#clock.now().getTime() - MAX_AGE_MS);
  }
}
