import { type Clock, Emitter } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { TASK_CHANNEL } from '../delivery/index.ts';
import { isTerminal, type TaskRow } from './task.ts';

/** How many may follow tasks at once on one server; each holds a connection open. */
const MOST_FOLLOWERS = 500;

export interface Follow {
  taskId: string;
  load: () => Promise<TaskRow | undefined>;
  /** The longest a follower is kept. */
  forMs: number;
  signal?: AbortSignal | undefined;
}

/** Follows tasks by what the database tells, on any server that shares it. */
export class TaskWatch {
  #changes = new Emitter<string | undefined>();
  #clock: Clock;
  #stopped = new AbortController();
  #stopListening: () => Promise<void> = async () => {};
  #followers = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async start(sql: Sql): Promise<void> {
    this.#stopListening = await sql.listen(TASK_CHANNEL, (id) => this.#changes.emit(id));
  }

  /** Ends every follower. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#stopListening();
  }

  get full(): boolean {
    return this.#followers >= MOST_FOLLOWERS;
  }

  /** The task now, and again at each change of its state, until it has ended, time is up or nobody wants it any more. */
  async *states({ taskId, load, forMs, signal }: Follow): AsyncGenerator<TaskRow> {
    const over = new AbortController();
    const ends = AbortSignal.any([over.signal, this.#stopped.signal, ...(signal ? [signal] : [])]);
    const cancel = this.#clock.after(forMs, () => over.abort());
    this.#followers++;
    try {
      let last: string | undefined;
      for (;;) {
        // Listening begins before looking, so that no change falls in between.
        const changed = this.#changes.next((id) => id === undefined || id === taskId, ends);
        changed.catch(() => {});
        const row = await load();
        if (!row) return;
        if (row.state !== last) yield row;
        last = row.state;
        if (isTerminal(row)) return;
        if (!(await changed.then(() => true).catch(() => false))) return;
      }
    } finally {
      this.#followers--;
      cancel();
      over.abort();
    }
  }
}
