import { notFound } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { type RequestState, sqlList } from '../../domain/index.ts';
import { entriesAfter, entriesOf, type LedgerEntry, lastNumber } from './ledger.ts';
import { AUTOMATIC_SOURCES, type RequestRow } from './request.ts';

const LEDGER_PAGE = 500;

/** Sources of proof after which no turn is reported: a command has none, a headless turn is reported earlier. */
const TURNLESS: ReadonlySet<string> = new Set(['command', 'process']);

/** `asked`: without those that only Rouse itself or its fleet wants, which a pause holds. */
export type Whose = 'all' | 'asked';

const ASKED = `source NOT IN ${sqlList(AUTOMATIC_SOURCES)}`;

/** Reads the queue. The cost does not grow with finished requests. */
export class RequestReader {
  protected readonly db: Sqlite;
  readonly #lastBefore: number;
  #continued: string | undefined;

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

  /** Newest first. Running requests are few and have an index, which the general condition must not hide. */
  list(filter: {
    state?: RequestState | undefined;
    limit: number;
    before?: number | undefined;
  }): RequestRow[] {
    const where = filter.state === 'running' ? "state = 'running' AND" : '(?1 IS NULL OR state = ?1) AND';
    return this.db.all<RequestRow>(
      `SELECT * FROM gateway_requests WHERE ${where} sequence < ?2 ORDER BY sequence DESC LIMIT ?3`,
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
   * Whether the ledger of a request is complete. The turn of a submitted prompt may be reported after its end, by the
   * gateway that typed it or one that keeps watching, until the next prompt is typed.
   */
  isComplete(requestId: string): boolean {
    const { outcome, request_kind } = this.get(requestId);
    if (outcome === null) return false;
    if (outcome !== 'submitted' || request_kind === 'interrupt') return true;
    const entries = this.ledger(requestId);
    const submitted = entries.findLast(({ stage }) => stage === 'submitted');
    if (!submitted || TURNLESS.has(submitted.source)) return true;
    if (submitted.entry_id <= this.#lastBefore && requestId !== this.#continued) return true;
    if (entries.some(({ stage }) => stage === 'turn_finished')) return true;
    const next = "SELECT 1 FROM gateway_request_ledger WHERE entry_id > ? AND stage = 'typing' LIMIT 1";
    return this.db.get(next, [submitted.entry_id]) !== undefined;
  }

  /** The last typed prompt, if it was submitted and the end of its turn is not stored. */
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

  /** The end of this request's turn may still be reported, although an earlier gateway typed it. */
  continuesTurn(requestId: string): void {
    this.#continued = requestId;
  }

  lastEntryId(): number {
    return lastNumber(this.db);
  }

  /** The head of the queue: interrupts first, then by priority and sequence. */
  queued(limit = 50, whose: Whose = 'all'): RequestRow[] {
    return this.db.all<RequestRow>(
      `SELECT * FROM gateway_requests WHERE state = 'accepted'${whose === 'asked' ? ` AND ${ASKED}` : ''}
        ORDER BY priority DESC, sequence LIMIT ?`,
      [limit],
    );
  }

  /** Accepted and running requests that a person or a program asked for. Counts them each time. */
  askedFor(): number {
    return this.db.get<{ count: number }>(
      `SELECT (SELECT COUNT(*) FROM gateway_requests WHERE state = 'accepted' AND ${ASKED})
            + (SELECT COUNT(*) FROM gateway_requests WHERE state = 'running' AND ${ASKED}) AS count`,
    )!.count;
  }

  /** Queued interrupts, in order of arrival. */
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

  /** Queued requests of one source. */
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
