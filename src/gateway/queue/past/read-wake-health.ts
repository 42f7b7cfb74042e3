import type { Sqlite } from '../../../db/index.ts';
import { bucketOf, noWakes, type WakeHealth, type WakeStep } from '../../../domain/index.ts';
import { firstSince } from './wakes-in.ts';

/** More wakes of one agent are not looked at: the newest count. */
const MAX_WAKES = 5000;

interface Row {
  outcome: string | null;
  accepted: string;
  typed: string | null;
  submitted: string | null;
  turn_seen: string | null;
  turn_ended: string | null;
}

const AT = (stage: string): string => `(SELECT at_utc FROM gateway_request_ledger l
  WHERE l.request_id = r.request_id AND l.stage = '${stage}' ORDER BY entry_id DESC LIMIT 1)`;

const WAKES = `SELECT outcome, accepted_at_utc AS accepted, ${AT('typed')} AS typed, ${AT('submitted')} AS submitted,
    ${AT('turn_seen')} AS turn_seen, ${AT('turn_finished')} AS turn_ended
  FROM gateway_requests r WHERE sequence >= ?1 AND request_kind = 'mail_notifier_prompt' AND accepted_at_utc >= ?2
  ORDER BY sequence DESC LIMIT ${MAX_WAKES}`;

const DECIDED = `SELECT COUNT(*) AS n FROM gateway_notifier_audit WHERE outcome = 'enqueued' AND poll_time_utc >= ?`;

/** How the wakes since then went, each step by the evidence in the ledger. */
export function readWakeHealth(db: Sqlite, fromMs: number): WakeHealth {
  const fromUtc = new Date(fromMs).toISOString();
  const health = noWakes();
  health.steps.decided = db.get<{ n: number }>(DECIDED, [fromUtc])!.n;
  for (const row of db.all<Row & Record<string, string | null>>(WAKES, [firstSince(db, fromMs), fromUtc])) {
    for (const step of ['accepted', 'typed', 'submitted', 'turn_seen', 'turn_ended'] satisfies WakeStep[])
      if (row[step] !== null) health.steps[step]++;
    if (row.submitted === null) {
      const reason = row.outcome ?? 'under_way';
      health.losses[reason] = (health.losses[reason] ?? 0) + 1;
      continue;
    }
    health.submit[bucketOf(secondsBetween(row.accepted, row.submitted))]!++;
    if (row.turn_ended !== null) health.turn[bucketOf(secondsBetween(row.submitted, row.turn_ended))]!++;
  }
  return health;
}

const secondsBetween = (a: string, b: string): number => (Date.parse(b) - Date.parse(a)) / 1000;

/** The mail that was announced since then. */
export function readAnnounced(db: Sqlite, fromMs: number): string[] {
  return db
    .all<{ ref: string }>(
      `SELECT a.message_ref AS ref FROM gateway_notifier_announced a JOIN gateway_requests r ON r.request_id = a.request_id
        WHERE r.sequence >= ? LIMIT ${MAX_WAKES}`,
      [firstSince(db, fromMs)],
    )
    .map(({ ref }) => ref);
}
