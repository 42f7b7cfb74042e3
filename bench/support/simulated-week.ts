import * as path from 'node:path';
import { newUuid, utcStamp } from '../../src/base/index.ts';
import { openSqlite, type Sqlite } from '../../src/db/index.ts';
import type { Standing } from '../../src/domain/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../src/gateway/queue-file.ts';
import { Seeded } from '../../test/support/seeded.ts';

export interface Simulated {
  sessionRoot: string;
  seed: number;
  days: number;
  /** Mean minutes between two wakes. */
  pace?: number;
}

/** How a wake ends, of a hundred. */
const ENDS = [
  [90, 'submitted'],
  [95, 'expired'],
  [98, 'unconfirmed'],
  [100, 'failed'],
] as const;

const MINUTE = 60_000;

/** Writes what a gateway would have kept of its agent's last days: states, and the wakes behind them with their evidence. */
export function simulateWeek({ sessionRoot, seed, days, pace = 14 }: Simulated): void {
  const file = path.join(sessionRoot, 'gateway', 'queue.sqlite');
  const db = openSqlite({ file, migrations: QUEUE_FILE_MIGRATIONS, durable: false });
  try {
    db.transaction(() => new Week(db, new Seeded(seed)).write(Date.now() - days * 1440 * MINUTE, pace));
  } finally {
    db.close();
  }
}

class Week {
  readonly #db: Sqlite;
  readonly #random: Seeded;
  #entry = 0;

  constructor(db: Sqlite, random: Seeded) {
    this.#db = db;
    this.#random = random;
  }

  write(fromMs: number, pace: number): void {
    let at = fromMs;
    this.#state(at, 'idle', 'idle');
    while (at < Date.now() - 2 * MINUTE) {
      at += this.#some(pace);
      // Nights and lunch are quiet.
      const hour = new Date(at).getUTCHours();
      if ((hour < 7 || hour > 22) && this.#random.below(4) > 0) at += 40 * MINUTE;
      if (at < Date.now() - MINUTE) at = this.#turn(at);
    }
  }

  /** One wake with its turn. Returns when it was over. */
  #turn(began: number): number {
    const drawn = this.#random.below(100);
    const outcome = ENDS.find(([below]) => drawn < below)![1];
    let at = began;
    const steps: [string, number][] = [['running', (at += this.#random.whole(20, 4000))]];
    if (outcome !== 'expired') steps.push(['typed', (at += this.#random.whole(50, 400))]);
    if (outcome === 'submitted') {
      steps.push(['submitted', (at += this.#random.whole(100, 900))], ['turn_seen', (at += 200)]);
      this.#state(at, 'working', 'working');
      at += this.#some(4);
      if (this.#random.below(9) === 0) at = this.#interlude(at);
      if (this.#random.below(30) > 0) steps.push(['turn_finished', at]);
      this.#state(at, 'idle', 'idle');
    }
    this.#request(began, steps, outcome);
    return at;
  }

  #interlude(at: number): number {
    const [state, words, minutes] = this.#random.pick([
      ['needs_you', 'permission dialog', 9],
      ['needs_you', 'permission dialog', 3],
      ['waiting', 'limited until 15:00', 30],
      ['waiting', 'someone is typing', 2],
      ['gone', 'tool gone', 20],
    ] as const);
    this.#state(at, state, words);
    const over = at + this.#some(minutes);
    this.#state(over, 'working', 'working');
    return over + this.#some(2);
  }

  #some(minutes: number): number {
    return this.#random.whole(minutes * 0.2 * MINUTE, minutes * 1.8 * MINUTE);
  }

  #state(at: number, state: Standing['state'], words: string): void {
    if (at >= Date.now()) return;
    this.#db.run('INSERT INTO gateway_agent_states (at_ms, state, words, reason) VALUES (?, ?, ?, ?)', [
      Math.round(at),
      state,
      words,
      state === 'needs_you' ? 'it asks for permission' : null,
    ]);
  }

  #request(accepted: number, steps: readonly [string, number][], outcome: string): void {
    const id = newUuid();
    const stamp = (ms: number): string => utcStamp(new Date(ms));
    const ended = stamp(steps.at(-1)![1] + 10);
    this.#db.run(
      `INSERT INTO gateway_requests (sequence, request_id, request_kind, payload_json, state, accepted_at_utc, started_at_utc,
         finished_at_utc, managed_agent_instance_epoch, source, priority, outcome, error_detail)
       VALUES (?, ?, 'mail_notifier_prompt', '{"prompt":"x"}', ?, ?, ?, ?, 1, 'notifier', 50, ?, ?)`,
      [
        ++this.#entry,
        id,
        outcome === 'submitted' ? 'completed' : 'failed',
        stamp(accepted),
        stamp(steps[0]![1]),
        ended,
        outcome,
        outcome === 'submitted' ? null : `${outcome} in the simulation`,
      ],
    );
    for (const [stage, ms] of steps)
      this.#db.run(
        'INSERT INTO gateway_request_ledger (entry_id, request_id, stage, source, at_utc, facts_json) VALUES (?, ?, ?, ?, ?, ?)',
        [++this.#entry, id, stage, 'lane', stamp(ms), '{}'],
      );
    this.#db.run(
      `INSERT INTO gateway_notifier_audit (poll_time_utc, unread_count, outcome, enqueued_request_id) VALUES (?, 1, 'enqueued', ?)`,
      [stamp(accepted), id],
    );
  }
}
