import type { Sqlite, SqliteMigration } from '../../db/index.ts';
import type { OutcomeReport } from '../../wire/index.ts';

/** Up to which ledger entry the server has the outcomes of its messages, and which of their turns are followed. */
export const FLEET_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'fleet-1',
    sql: `
      CREATE TABLE gateway_fleet (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        outcomes_told INTEGER NOT NULL
      );
    `,
  },
  {
    id: 'fleet-2',
    sql: `
      CREATE TABLE gateway_fleet_turns (
        request_id TEXT PRIMARY KEY,
        message_id TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        state TEXT NOT NULL,
        told TEXT NOT NULL,
        report_json TEXT NOT NULL
      );
    `,
  },
];

const KEY = 'a2a:';
const PAGE = 100;

/** The idempotency key of a message in the gateway's queue: the same message is the same request. */
export const keyOfMessage = (id: string): string => KEY + id;

export interface UnreportedOutcomes {
  /** Pass it to markReported() once the server has them. */
  upTo: number;
  outcomes: OutcomeReport[];
}

/** Outcomes that the server does not have yet, read from the ledger: a crash between an end and its report loses nothing. */
export class FleetStore {
  #db: Sqlite;
  /** Up to this entry there is nothing to report: most requests are not of the fleet. */
  #irrelevantUpTo = 0;

  constructor(db: Sqlite) {
    this.#db = db;
  }

  unreported(): UnreportedOutcomes {
    const last =
      this.#db.get<{ id: number | null }>('SELECT MAX(entry_id) AS id FROM gateway_request_ledger')?.id ?? 0;
    if (last <= this.#irrelevantUpTo) return { upTo: 0, outcomes: [] };
    const rows = this.#db.all<{
      entry_id: number;
      request_id: string;
      key: string;
      outcome: OutcomeReport['outcome'];
      at: string;
    }>(
      `SELECT l.entry_id, r.request_id, r.idempotency_key AS key, r.outcome, r.finished_at_utc AS at
         FROM gateway_request_ledger l JOIN gateway_requests r ON r.request_id = l.request_id
        WHERE l.stage = 'finished' AND l.entry_id > ? AND r.source = 'fleet' AND r.outcome IS NOT NULL
        ORDER BY l.entry_id LIMIT ?`,
      [Math.max(this.#irrelevantUpTo, this.#reportedUpTo()), PAGE],
    );
    if (rows.length === 0) this.#irrelevantUpTo = last;
    return {
      upTo: rows.at(-1)?.entry_id ?? 0,
      outcomes: rows.map(({ request_id, key, outcome, at }) => ({
        id: key.slice(KEY.length),
        request_id,
        outcome,
        at,
        turn_follows: outcome === 'submitted',
      })),
    };
  }

  markReported(upTo: number): void {
    if (upTo <= this.#reportedUpTo()) return;
    this.#db.run(
      `INSERT INTO gateway_fleet (singleton, outcomes_told) VALUES (1, ?1)
         ON CONFLICT (singleton) DO UPDATE SET outcomes_told = ?1`,
      [upTo],
    );
  }

  #reportedUpTo(): number {
    return this.#db.get<{ at: number }>('SELECT outcomes_told AS at FROM gateway_fleet')?.at ?? 0;
  }
}
