import { type Clock, utcStamp } from '../../base/index.ts';
import type { Sqlite, SqliteMigration } from '../../db/index.ts';
import { describeStanding, type KeptState, type Standing } from '../../domain/index.ts';

/** Past states of the agent, each with the time at which it began. */
export const STATE_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'states-1',
    sql: `
      CREATE TABLE gateway_agent_states (
        change_id INTEGER PRIMARY KEY,
        at_ms INTEGER NOT NULL,
        state TEXT NOT NULL,
        words TEXT NOT NULL,
        reason TEXT
      );
      CREATE INDEX gateway_agent_states_at ON gateway_agent_states (at_ms);
    `,
  },
];

/** How many changes are kept, and for how long. */
export interface KeepStates {
  keepRows: number;
  keepDays: number;
}

const KEEP: KeepStates = { keepRows: 20_000, keepDays: 30 };
const PRUNE_EVERY = 100;
/** A shorter state is not kept: a prompt that is being typed, a screen between two pictures. */
const PASSING_MS = 250;
/** Changes that wait while the file cannot be written; beyond this the oldest are dropped. */
const MAX_WAITING = 1000;

interface Change {
  at_ms: number;
  state: Standing['state'];
  words: string;
  reason: string | null;
}

/**
 * The agent's changes of state, stored once each has lasted. The one source of "since": lists, timeline and lanes show
 * what is kept here. Nothing is written while nothing changes.
 */
export class StateChanges {
  readonly #db: Sqlite;
  readonly #clock: Clock;
  readonly #keep: KeepStates;
  #kept: Change | undefined;
  #now: Change | undefined;
  #waiting: Change[] = [];
  #written = 0;
  #cancel: (() => void) | undefined;

  constructor(db: Sqlite, clock: Clock, keep: KeepStates = KEEP) {
    this.#db = db;
    this.#clock = clock;
    this.#keep = keep;
    this.#kept = db.get<Change & Record<string, never>>(
      'SELECT at_ms, state, words, reason FROM gateway_agent_states ORDER BY change_id DESC LIMIT 1',
    );
    this.#now = this.#kept;
    // The gateway before was killed: what the agent did until now was not seen.
    if (this.#kept && this.#kept.state !== 'unknown')
      this.note(
        describeStanding({ code: 'not_looked_at' }, {}),
        'the gateway before it ended without notice',
      );
  }

  /** Returns when this state began. */
  note({ state, words, needs_you }: Standing, reason: string | null = needs_you): string {
    if (this.#now?.state !== state || this.#now.words !== words) this.#change({ state, words, reason });
    return utcStamp(new Date(this.#now!.at_ms));
  }

  /** Stores what has not lasted yet, too. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#settle();
    try {
      this.#db.transaction(() => this.#write());
    } catch {
      // Every way to read it says so; the next gateway begins with what is kept.
    }
  }

  #change(change: Omit<Change, 'at_ms'>): void {
    const at_ms = this.#clock.now().getTime();
    this.#cancel?.();
    this.#cancel = undefined;
    const lasted = this.#now !== undefined && Math.abs(at_ms - this.#now.at_ms) >= PASSING_MS;
    if (lasted) this.#settle();
    const isBack = this.#kept?.state === change.state && this.#kept.words === change.words;
    this.#now = isBack ? this.#kept : { at_ms, ...change };
    if (isBack) return;
    this.#cancel = this.#clock.after(PASSING_MS, () => {
      this.#cancel = undefined;
      this.#settle();
      void this.#db.commitTogether(() => this.#write()).catch(() => {});
    });
  }

  #settle(): void {
    if (!this.#now || this.#now === this.#kept) return;
    this.#kept = this.#now;
    this.#waiting.push(this.#now);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
  }

  /** Those that could not be written stay for the next time. */
  #write(): void {
    const written = this.#waiting;
    if (written.length === 0) return;
    this.#db.whenUndone(() => {
      this.#waiting = [...written, ...this.#waiting].slice(-MAX_WAITING);
    });
    this.#waiting = [];
    for (const { at_ms, state, words, reason } of written)
      this.#db.run('INSERT INTO gateway_agent_states (at_ms, state, words, reason) VALUES (?, ?, ?, ?)', [
        at_ms,
        state,
        words,
        reason,
      ]);
    if ((this.#written += written.length) < PRUNE_EVERY) return;
    this.#written = 0;
    const { keepRows, keepDays } = this.#keep;
    this.#db.run(
      `DELETE FROM gateway_agent_states WHERE change_id <= (SELECT MAX(change_id) FROM gateway_agent_states) - ?1
          OR at_ms < ?2 AND change_id < (SELECT MAX(change_id) FROM gateway_agent_states)`,
      [keepRows, this.#clock.now().getTime() - keepDays * 86_400_000],
    );
  }
}

/**
 * The states between two times, oldest first, with the one at the beginning; the newest `limit`. A clock that was set
 * back makes no state begin before the one it follows.
 */
export function readStates(
  db: Sqlite,
  { fromMs, toMs, limit }: { fromMs: number; toMs: number; limit: number },
): KeptState[] {
  const rows = db.all<Change & Record<string, never>>(
    `SELECT at_ms, state, words, reason FROM gateway_agent_states WHERE at_ms <= ?2 AND change_id >=
        COALESCE((SELECT MAX(change_id) FROM gateway_agent_states WHERE at_ms <= ?1), 0)
      ORDER BY change_id DESC LIMIT ?3`,
    [fromMs, toMs, limit],
  );
  let last = Number.NEGATIVE_INFINITY;
  return rows.toReversed().map(({ at_ms, state, words, reason }) => {
    last = Math.max(last, at_ms);
    return { at_ms: last, state, words, reason };
  });
}
