import type { Sqlite } from '../../../db/index.ts';
import type { ResumedThread } from './find-loops.ts';

/** Older entries are removed; the replies of their threads count again. */
const MAX_THREADS = 1000;

/** The time from which the replies of a thread count, for threads that were paused once. */
export class ThreadStore {
  #db: Sqlite;

  constructor(db: Sqlite) {
    this.#db = db;
  }

  resumedAt(threadRef: string): string | undefined {
    return this.#db.get<{ since_utc: string }>(
      'SELECT since_utc FROM gateway_mail_threads WHERE thread_ref = ?',
      [threadRef],
    )?.since_utc;
  }

  resume({ thread_ref, since_utc }: ResumedThread): void {
    this.#db.run('INSERT OR REPLACE INTO gateway_mail_threads (thread_ref, since_utc) VALUES (?, ?)', [
      thread_ref,
      since_utc,
    ]);
    this.#db.run(
      `DELETE FROM gateway_mail_threads WHERE resumed <=
         (SELECT resumed FROM gateway_mail_threads ORDER BY resumed DESC LIMIT 1 OFFSET ?)`,
      [MAX_THREADS],
    );
  }
}
