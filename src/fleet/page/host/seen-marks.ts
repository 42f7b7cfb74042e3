import type { Clock } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';

/** When a person last opened each agent on a page. */
export class SeenMarks {
  readonly #sql: Sql;
  readonly #clock: Clock;
  readonly #marks = new Map<string, number>();

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  async read(): Promise<void> {
    const { rows } = await this.#sql.query<{ agent_id: string; at: Date }>(
      'SELECT agent_id, at FROM page_seen',
    );
    for (const { agent_id, at } of rows) this.#marks.set(agent_id, at.getTime());
  }

  of(agentId: string): number | undefined {
    return this.#marks.get(agentId);
  }

  async mark(agentId: string): Promise<void> {
    const at = this.#clock.now();
    await this.#sql.query(
      `INSERT INTO page_seen (agent_id, at) VALUES ($1, $2) ON CONFLICT (agent_id) DO UPDATE SET at = excluded.at`,
      [agentId, at],
    );
    this.#marks.set(agentId, at.getTime());
  }
}
