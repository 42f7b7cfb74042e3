import pg from 'pg';

const CONNECTIONS = 4;

/**
 * The minimum of a durable message over PostgreSQL: a row and a NOTIFY in one transaction; a listener takes the row. Some
 * connections write and take, one listens.
 */
export class BareLoop {
  #pool: pg.Pool;
  #listener: pg.Client;
  #waiting = new Map<string, () => void>();

  private constructor(pool: pg.Pool, listener: pg.Client) {
    this.#pool = pool;
    this.#listener = listener;
    listener.on('notification', ({ payload = '' }) => void this.#take(payload));
  }

  static async open(url: string): Promise<BareLoop> {
    const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
    const listener = new pg.Client({ connectionString: url });
    await listener.connect();
    await pool.query(`CREATE TABLE IF NOT EXISTS bare_messages (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      body jsonb NOT NULL, taken_at timestamptz)`);
    await listener.query('LISTEN bare_messages');
    return new BareLoop(pool, listener);
  }

  /** Resolves when it was taken. */
  async send(): Promise<void> {
    const { rows } = await this.#pool.query<{ id: string }>(
      `WITH put AS (INSERT INTO bare_messages (body) VALUES ($1) RETURNING id)
       SELECT id::text, pg_notify('bare_messages', id::text) FROM put`,
      [JSON.stringify({ text: 'Please look at item 7' })],
    );
    const { id } = rows[0]!;
    await new Promise<void>((resolve) => {
      const early = this.#waiting.get(id);
      if (early) resolve();
      else this.#waiting.set(id, resolve);
    });
    this.#waiting.delete(id);
  }

  async #take(id: string): Promise<void> {
    const { rowCount } = await this.#pool.query(
      `UPDATE bare_messages SET taken_at = now() WHERE id = (SELECT id FROM bare_messages
         WHERE id = $1 AND taken_at IS NULL FOR UPDATE SKIP LOCKED) RETURNING body`,
      [id],
    );
    if (rowCount !== 1) throw new Error(`message ${id} was taken twice`);
    const hear = this.#waiting.get(id);
    // It may arrive before its writer knows the number.
    if (hear) hear();
    else this.#waiting.set(id, () => {});
  }

  async close(): Promise<void> {
    await this.#listener.end();
    await this.#pool.end();
  }
}
