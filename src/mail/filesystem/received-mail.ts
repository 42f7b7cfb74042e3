import type { Sqlite } from '../../db/index.ts';

/** A stretch of time in equal cells. */
export interface TimeInCells {
  fromMs: number;
  toMs: number;
  cells: number;
}

/** How many messages each address received, by cell. */
export function readReceived(
  db: Sqlite,
  { fromMs, toMs, cells }: TimeInCells,
): Map<string, [number, number][]> {
  const rows = db.all<{ address: string; cell: number; n: number }>(
    `SELECT g.address, MIN(?4 - 1, CAST((unixepoch(m.created_at_utc, 'subsec') * 1000 - ?1) / ?3 AS INTEGER)) AS cell, COUNT(*) AS n
       FROM messages m JOIN mail_state s ON s.seq = m.seq AND s.box <> 'sent'
       JOIN mailbox_registrations g ON g.number = s.registration
      WHERE m.created_at_utc >= ?5 AND m.created_at_utc < ?6
        AND unixepoch(m.created_at_utc, 'subsec') * 1000 >= ?1
      GROUP BY 1, 2 ORDER BY 2`,
    [
      fromMs,
      toMs,
      (toMs - fromMs) / cells,
      cells,
      new Date(fromMs - 1000).toISOString(),
      new Date(toMs).toISOString(),
    ],
  );
  const found = new Map<string, [number, number][]>();
  for (const { address, cell, n } of rows) {
    const known = found.get(address);
    if (known) known.push([cell, n]);
    else found.set(address, [[cell, n]]);
  }
  return found;
}

/** How many of these messages the owner of that address has read, answered or archived. */
export function countHandled(db: Sqlite, address: string, messageIds: readonly string[]): number {
  return db.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM messages m JOIN mail_state s ON s.seq = m.seq
       JOIN mailbox_registrations g ON g.number = s.registration
      WHERE m.message_id IN (SELECT value FROM json_each(?1)) AND g.address = ?2
        AND (s.is_read OR s.is_answered OR s.box = 'archive')`,
    [JSON.stringify(messageIds), address],
  )!.n;
}
