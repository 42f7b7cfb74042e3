import { type Clock, Emitter } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type LimitName, limit } from '../../domain/index.ts';
import { TASK_CHANNEL } from '../delivery/index.ts';
import { isTerminal, type TaskRow } from './task.ts';

export interface Follow {
  /** The org of the agent. */
  orgId: string;
  taskId: string;
  load: () => Promise<TaskRow | undefined>;
  /** How long a follower is held at most. */
  forMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Follows tasks by the database's notifications, on any server that shares it. Each follower holds a connection open,
 * so their number is limited per server and, lower, per org: one org cannot keep the others out.
 */
export class TaskWatch {
  #changes = new Emitter<string | undefined>();
  #clock: Clock;
  #stopped = new AbortController();
  #stopListening: () => Promise<void> = async () => {};
  #followers = new Map<string, number>();

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

  /** Returns the limit that keeps out the next follower of this org, if one does. */
  fullBy(orgId: string): LimitName | undefined {
    if ((this.#followers.get(orgId) ?? 0) >= limit('followersPerOrg')) return 'followersPerOrg';
    const all = [...this.#followers.values()].reduce((sum, some) => sum + some, 0);
    return all >= limit('followers') ? 'followers' : undefined;
  }

  #count(orgId: string, more: 1 | -1): void {
    const now = (this.#followers.get(orgId) ?? 0) + more;
    if (now > 0) this.#followers.set(orgId, now);
    else this.#followers.delete(orgId);
  }

  /** Yields the task now and at each change of its state, until it ends, the time is up or the signal aborts. */
  async *states({ orgId, taskId, load, forMs, signal }: Follow): AsyncGenerator<TaskRow> {
    const over = new AbortController();
    const ends = AbortSignal.any([over.signal, this.#stopped.signal, ...(signal ? [signal] : [])]);
    const cancel = this.#clock.after(forMs, () => over.abort());
    this.#count(orgId, 1);
    try {
      let last: string | undefined;
      for (;;) {
        // Listen before looking, so that no change is missed in between.
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
      this.#count(orgId, -1);
      cancel();
      over.abort();
    }
  }
}
