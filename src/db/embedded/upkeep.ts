import type { PGlite } from '@electric-sql/pglite';
import { type Log, messageOf } from '../../base/index.ts';

/** Checkpoint after two log segments: 32 MiB of changes. */
const SEGMENTS_BETWEEN_CHECKPOINTS = 2;

const TABLES_IN_NEED = `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
  WHERE n_dead_tup > 1000 + n_live_tup / 5 OR n_mod_since_analyze > 1000 + n_live_tup / 5`;

/**
 * The embedded PostgreSQL has no background processes: without this its log would grow for ever, dead rows would stay,
 * and the planner would have no statistics. Work is due by the amount of changes, so an idle database costs nothing.
 */
export class EmbeddedUpkeep {
  #db: PGlite;
  #segments: () => number;
  #log: Log;
  #done: number;
  #running: Promise<void> | undefined;

  constructor(db: PGlite, segments: () => number, log: Log) {
    this.#db = db;
    this.#segments = segments;
    this.#log = log;
    this.#done = segments();
  }

  /** Call after each commit. Starts the work if it is due; later statements queue behind it. */
  afterCommit(): void {
    if (this.#running || this.#segments() - this.#done < SEGMENTS_BETWEEN_CHECKPOINTS) return;
    this.#done = this.#segments();
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when no work is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #work(): Promise<void> {
    try {
      await this.#db.exec('CHECKPOINT');
      // Otherwise counts of changed rows are published only now and then.
      await this.#db.exec('SELECT pg_stat_force_next_flush()');
      const { rows } = await this.#db.query<{ name: string }>(TABLES_IN_NEED);
      for (const { name } of rows) await this.#db.exec(`VACUUM (ANALYZE) ${name}`);
    } catch (error) {
      this.#log.warn('upkeep of the embedded database failed', { error: messageOf(error) });
    }
  }
}
