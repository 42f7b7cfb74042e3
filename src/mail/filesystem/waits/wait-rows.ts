import { utcSeconds } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import {
  ARCHIVE,
  expectedAnswer,
  type MailDocument,
  makeMailRef,
  type WaitEdge,
  type WaitGraph,
  waitEndsMs,
} from '../../../domain/index.ts';
import { FILESYSTEM } from '../binding.ts';

/** Waits that end by themselves are removed in steps of this many. */
const REMOVED_AT_ONCE = 100;

/** Notes who waits for the answer to a message; those who get a copy are not waited for. */
export function insertWaits(
  db: Sqlite,
  seq: number,
  { headers, from, to, created_at_utc }: MailDocument,
): void {
  const { expects_answer, answer_by = null } = expectedAnswer(headers);
  if (!expects_answer) return;
  removeEndedWaits(db, created_at_utc);
  const ends = utcSeconds(new Date(waitEndsMs({ since_utc: created_at_utc, by_utc: answer_by })));
  for (const whom of new Set(to.map(({ address }) => address)))
    if (whom !== from.address)
      db.run('INSERT OR IGNORE INTO waits (seq, waiter, whom, by_utc, ends_utc) VALUES (?, ?, ?, ?, ?)', [
        seq,
        from.address,
        whom,
        answer_by,
        ends,
      ]);
}

/**
 * What a mailbox did with a message ends waits: it answered or archived what it was asked, or archived its own question.
 */
export function endWaits(
  db: Sqlite,
  address: string,
  { seq, box, is_answered }: { seq: number; box: string; is_answered: number },
): void {
  if (is_answered === 1 || box === ARCHIVE)
    db.run('DELETE FROM waits WHERE seq = ? AND whom = ?', [seq, address]);
  if (box === ARCHIVE) db.run('DELETE FROM waits WHERE seq = ? AND waiter = ?', [seq, address]);
}

/** A mailbox that has gone waits for no one, and no one waits for it. */
export function endWaitsOf(db: Sqlite, address: string): void {
  db.run('DELETE FROM waits WHERE waiter = ?1 OR whom = ?1', [address]);
}

/** After the index was made again from files: the flags decide which waits are left. */
export function settleWaits(db: Sqlite): void {
  db.exec(`DELETE FROM waits WHERE NOT EXISTS (SELECT 1 FROM mail_state s
      JOIN mailbox_registrations r ON r.number = s.registration AND r.status = 'active' AND r.address = waits.whom
      WHERE s.seq = waits.seq AND s.is_deleted = 0 AND s.is_answered = 0 AND s.box <> '${ARCHIVE}')
    OR NOT EXISTS (SELECT 1 FROM mail_state s
      JOIN mailbox_registrations r ON r.number = s.registration AND r.status = 'active' AND r.address = waits.waiter
      WHERE s.seq = waits.seq AND s.is_deleted = 0 AND s.box <> '${ARCHIVE}')`);
}

function removeEndedWaits(db: Sqlite, now: string): void {
  db.run(
    `DELETE FROM waits WHERE (seq, whom) IN
       (SELECT seq, whom FROM waits WHERE ends_utc <= ? ORDER BY ends_utc LIMIT ${REMOVED_AT_ONCE})`,
    [now],
  );
}

interface Row {
  waiter: string;
  whom: string;
  by_utc: string | null;
  message_id: string;
  subject: string;
  created_at_utc: string;
}

const COLUMNS = 'w.waiter, w.whom, w.by_utc, m.message_id, m.subject, m.created_at_utc';

const edgeOf = ({ waiter, whom, by_utc, message_id, subject, created_at_utc }: Row): WaitEdge => ({
  waiter,
  whom,
  kind: 'mail',
  ref: makeMailRef(FILESYSTEM, message_id),
  subject,
  since_utc: created_at_utc,
  by_utc,
});

/** All waits of the root, the oldest first. */
export function listWaits(db: Sqlite, now: string): WaitEdge[] {
  return db
    .all<Row>(
      `SELECT ${COLUMNS} FROM waits w JOIN messages m ON m.seq = w.seq WHERE w.ends_utc > ? ORDER BY w.seq, w.whom`,
      [now],
    )
    .map(edgeOf);
}

/** The oldest wait of one agent for another. */
export function waitBetween(db: Sqlite, waiter: string, whom: string, now: string): WaitEdge | undefined {
  const row = db.get<Row>(
    `SELECT ${COLUMNS} FROM waits w JOIN messages m ON m.seq = w.seq
     WHERE w.waiter = ? AND w.whom = ? AND w.ends_utc > ? ORDER BY w.seq LIMIT 1`,
    [waiter, whom, now],
  );
  return row && edgeOf(row);
}

/** Waits whose answer was needed by now and that were not reported. */
export function overdueWaits(db: Sqlite, now: string): (WaitEdge & { seq: number })[] {
  return db
    .all<Row & { seq: number }>(
      `SELECT w.seq, ${COLUMNS} FROM waits w JOIN messages m ON m.seq = w.seq
       WHERE w.by_utc IS NOT NULL AND w.reported = 0 AND w.by_utc <= ?1 AND w.ends_utc > ?1 ORDER BY w.by_utc LIMIT 100`,
      [now],
    )
    .map(({ seq, ...row }) => ({ ...edgeOf(row), seq }));
}

/** When the next answer is needed; undefined if none is. */
export function nextDue(db: Sqlite): string | undefined {
  const row = db.get<{ at: string | null }>(
    'SELECT MIN(by_utc) AS at FROM waits WHERE by_utc IS NOT NULL AND reported = 0',
  );
  return row?.at ?? undefined;
}

/** The waits around some agents, each pair once. */
export function waitGraph(db: Sqlite, now: string): WaitGraph {
  const pairs = (own: 'waiter' | 'whom', other: 'whom' | 'waiter') => (agents: readonly string[]) =>
    agents.flatMap((agent) =>
      db
        .all<{ other: string }>(
          `SELECT DISTINCT ${other} AS other FROM waits WHERE ${own} = ? AND ends_utc > ?`,
          [agent, now],
        )
        .map(({ other: found }) => [agent, found] as const),
    );
  return { whom: pairs('waiter', 'whom'), waiters: pairs('whom', 'waiter') };
}
