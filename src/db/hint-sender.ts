import { encodeParams } from './sql-parameters.ts';

/** Whatever runs a statement. */
interface Runner {
  query(text: string, values: (string | null)[]): Promise<unknown>;
}

export interface Hint {
  channel: string;
  payload: string;
}

/**
 * Sends NOTIFY outside the transactions it is about: PostgreSQL lets only one transaction commit at a time that has a
 * NOTIFY in it, and each would wait for the disk of the one before. What comes while one statement is under way goes
 * together in the next; the same hint twice is one.
 */
export class HintSender {
  #runner: Runner;
  #waiting = new Map<string, Hint>();
  #sending: Promise<void> | undefined;

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  add(hints: Iterable<Hint>): void {
    for (const hint of hints) this.#waiting.set(`${hint.channel} ${hint.payload}`, hint);
    if (this.#waiting.size === 0 || this.#sending !== undefined) return;
    this.#sending = this.#send().finally(() => {
      this.#sending = undefined;
    });
  }

  /** Resolves when nothing waits to be sent. */
  async settled(): Promise<void> {
    while (this.#sending !== undefined) await this.#sending;
  }

  async #send(): Promise<void> {
    // So that hints of the same turn go together.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const hints = [...this.#waiting.values()];
      this.#waiting.clear();
      const lists = [hints.map(({ channel }) => channel), hints.map(({ payload }) => payload)];
      await this.#runner.query(SEND, encodeParams(lists)).catch(() => {});
    }
  }
}

/** Nobody waits for the disk: a hint that a crash of the database loses is told to everybody who connects again. */
const SEND = `WITH told AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS off)
  SELECT pg_notify(channel, payload) FROM told, unnest($1::text[], $2::text[]) AS hint (channel, payload)
   WHERE told.off = 'off'`;
