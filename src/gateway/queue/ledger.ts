import type { Sqlite } from '../../db/index.ts';
import { isCodeOf, REQUEST_OUTCOMES, type RequestOutcome, type RequestStage } from '../../domain/index.ts';

export interface LedgerEntry {
  entry_id: number;
  request_id: string;
  stage: RequestStage;
  source: string;
  at_utc: string;
  facts: Record<string, unknown>;
}

/** How the request ended, if this entry records its end. */
export function outcomeOf({ facts }: Pick<LedgerEntry, 'facts'>): RequestOutcome | undefined {
  const outcome = facts['outcome'];
  return isCodeOf(REQUEST_OUTCOMES, outcome) ? outcome : undefined;
}

type Row = Omit<LedgerEntry, 'facts'> & { facts_json: string };

/** The next number for a request or an entry. The newest of both is never pruned, so that none is used twice. */
export const NEXT_NUMBER = `1 + MAX(COALESCE((SELECT MAX(sequence) FROM gateway_requests), 0),
  COALESCE((SELECT MAX(entry_id) FROM gateway_request_ledger), 0))`;

const INSERT = `INSERT INTO gateway_request_ledger (entry_id, request_id, stage, source, at_utc, facts_json)
  VALUES (${NEXT_NUMBER}, ?, ?, ?, ?, ?)`;

export function appendEntry(db: Sqlite, entry: Omit<LedgerEntry, 'entry_id'>): LedgerEntry {
  const { request_id, stage, source, at_utc, facts } = entry;
  const { lastInsertRowid } = db.run(INSERT, [request_id, stage, source, at_utc, JSON.stringify(facts)]);
  return { entry_id: Number(lastInsertRowid), ...entry };
}

export function entriesOf(db: Sqlite, requestId: string): LedgerEntry[] {
  return db
    .all<Row>('SELECT * FROM gateway_request_stages WHERE request_id = ? ORDER BY entry_id', [requestId])
    .map(fromRow);
}

/** For a stream that resumes: the entries after the last one its reader saw, of all requests or of one. */
export function entriesAfter(
  db: Sqlite,
  entryId: number,
  { limit, requestId }: { limit: number; requestId?: string | undefined },
): LedgerEntry[] {
  const where = requestId === undefined ? '' : 'request_id = ?3 AND';
  return db
    .all<Row>(
      `SELECT * FROM gateway_request_stages WHERE ${where} entry_id > ?1 ORDER BY entry_id LIMIT ?2`,
      [entryId, limit, ...(requestId === undefined ? [] : [requestId])],
    )
    .map(fromRow);
}

export function lastNumber(db: Sqlite): number {
  return (db.get<{ next: number }>(`SELECT ${NEXT_NUMBER} AS next`)?.next ?? 1) - 1;
}

function fromRow({ facts_json, ...rest }: Row): LedgerEntry {
  return { ...rest, facts: JSON.parse(facts_json) as Record<string, unknown> };
}
