import { encodeParams } from './sql-parameters.ts';

/** Anything that runs a statement. */
interface Runner {
  query(text: string, values: (string | null)[]): Promise<unknown>;
}

export interface Hint {
  channel: string;
  payload: string;
}

/**
 * Sends NOTIFY outside the transactions it is about. PostgreSQL lets only one transaction with a NOTIFY commit at a
 * time, and each would wait for the sync of the one before. Hints that arrive during one statement go together in the
 * next; equal hints are sent once.
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

/** Does not wait for the disk. If a crash of the database loses a hint, listeners are notified when they reconnect. */
const SEND = `WITH setting AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS off)
  SELECT pg_notify(channel, payload) FROM setting, unnest($1::text[], $2::text[]) AS hint (channel, payload)
   WHERE setting.off = 'off'`;
