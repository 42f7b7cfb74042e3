import { notFound } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { entriesAfter, entriesOf, type LedgerEntry, lastNumber } from './ledger.ts';
import type { RequestRow } from './request.ts';

const LEDGER_PAGE = 500;

/** Who proves a submission after whose end no turn is told of: a command has none, a headless one is told of before. */
const TURNLESS: ReadonlySet<string> = new Set(['command', 'process']);

/** What can be asked of the line of requests. What it costs does not grow with the requests that are done. */
export class RequestReader {
  protected readonly db: Sqlite;
  readonly #lastBefore: number;
  #toldOn: string | undefined;

  constructor(db: Sqlite) {
    this.db = db;
    this.#lastBefore = lastNumber(db);
  }

  knowsKey(key: string | null | undefined): boolean {
    const known = 'SELECT 1 FROM gateway_requests WHERE idempotency_key = ?';
    return key != null && this.db.get(known, [key]) !== undefined;
  }

  get(requestId: string): RequestRow {
    const row = this.db.get<RequestRow>('SELECT * FROM gateway_requests WHERE request_id = ?', [requestId]);
    if (!row) throw notFound(`no request ${requestId}`);
    return row;
  }

  /** Newest first. What runs is few and has an index, which the line before it must not hide. */
  list(filter: { state?: string | undefined; limit: number; before?: number | undefined }): RequestRow[] {
    const of = filter.state === 'running' ? "state = 'running' AND" : '(?1 IS NULL OR state = ?1) AND';
    return this.db.all<RequestRow>(
      `SELECT * FROM gateway_requests WHERE ${of} sequence < ?2 ORDER BY sequence DESC LIMIT ?3`,
      [filter.state ?? null, filter.before ?? Number.MAX_SAFE_INTEGER, filter.limit],
    );
  }

  ledger(requestId: string): LedgerEntry[] {
    return entriesOf(this.db, requestId);
  }

  ledgerAfter(entryId: number, requestId?: string): LedgerEntry[] {
    return entriesAfter(this.db, entryId, { limit: LEDGER_PAGE, requestId });
  }

  /**
   * Whether nothing more can come into the ledger of a request. The turn of a submitted prompt may be told of after its
   * end, by the gateway that typed it or one that goes on watching it, until the next prompt is typed.
   */
  isToldWhole(requestId: string): boolean {
    const { outcome, request_kind } = this.get(requestId);
    if (outcome === null) return false;
    if (outcome !== 'submitted' || request_kind === 'interrupt') return true;
    const entries = this.ledger(requestId);
    const submitted = entries.findLast(({ stage }) => stage === 'submitted');
    if (!submitted || TURNLESS.has(submitted.source)) return true;
    if (submitted.entry_id <= this.#lastBefore && requestId !== this.#toldOn) return true;
    if (entries.some(({ stage }) => stage === 'turn_finished')) return true;
    const next = "SELECT 1 FROM gateway_request_ledger WHERE entry_id > ? AND stage = 'typing' LIMIT 1";
    return this.db.get(next, [submitted.entry_id]) !== undefined;
  }

  /** The prompt that was typed last, if it was submitted and the end of its turn is not told. */
  leftTurn(): { requestId: string; sinceUtc: string } | undefined {
    const typing = this.db.get<LedgerEntry & Pick<RequestRow, 'outcome'>>(
      `SELECT entry_id, request_id, at_utc, outcome FROM gateway_request_ledger JOIN gateway_requests USING (request_id)
        WHERE stage = 'typing' ORDER BY entry_id DESC LIMIT 1`,
    );
    if (typing?.outcome !== 'submitted') return undefined;
    const stages = this.ledger(typing.request_id).filter(({ entry_id }) => entry_id > typing.entry_id);
    const submitted = stages.find(({ stage }) => stage === 'submitted');
    if (!submitted || TURNLESS.has(submitted.source)) return undefined;
    if (stages.some(({ stage }) => stage === 'turn_finished')) return undefined;
    return { requestId: typing.request_id, sinceUtc: typing.at_utc };
  }

  /** The end of this request's turn may still be told, though an earlier gateway typed it. */
  tellsOn(requestId: string): void {
    this.#toldOn = requestId;
  }

  lastEntryId(): number {
    return lastNumber(this.db);
  }

  /** The head of the line: interrupts first, then by priority and sequence. */
  line(limit = 50): RequestRow[] {
    return this.db.all<RequestRow>(
      `SELECT * FROM gateway_requests WHERE state = 'accepted' ORDER BY priority DESC, sequence LIMIT ?`,
      [limit],
    );
  }

  /** Interrupts that wait, in the order in which they came. */
  interrupts(limit = 1000): RequestRow[] {
    return this.db.all<RequestRow>(
      `SELECT * FROM gateway_requests WHERE state = 'accepted' AND request_kind = 'interrupt' ORDER BY sequence LIMIT ?`,
      [limit],
    );
  }

  running(): RequestRow[] {
    return this.db.all<RequestRow>(
      "SELECT * FROM gateway_requests WHERE state = 'running' ORDER BY sequence",
    );
  }

  /** Those of one source that still wait. */
  accepted(source: string): RequestRow[] {
    return this.db.all<RequestRow>(
      "SELECT * FROM gateway_requests WHERE state = 'accepted' AND source = ? ORDER BY sequence",
      [source],
    );
  }

  nextExpiry(): string | undefined {
    return (
      this.db.get<{ at: string | null }>(
        `SELECT MIN(expires_at_utc) AS at FROM gateway_requests WHERE state = 'accepted' AND expires_at_utc IS NOT NULL`,
      )?.at ?? undefined
    );
  }
}
