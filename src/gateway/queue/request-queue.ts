import { createHash } from 'node:crypto';
import {
  type Clock,
  conflict,
  crashPoint,
  Emitter,
  notFound,
  stableJson,
  utcStamp,
} from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { newRequestId } from '../../domain/index.ts';
import { type CoalescePlan, isControlIntent, planCoalescing } from './coalesce.ts';
import { RequestCounts } from './counts.ts';
import {
  appendEntry,
  entriesAfter,
  entriesOf,
  type LedgerEntry,
  type LedgerStage,
  lastNumber,
  NEXT_NUMBER,
} from './ledger.ts';
import { type Outcome, WIRE_STATES } from './outcomes.ts';
import type { AcceptInput, RequestRow } from './request.ts';

export interface Accepted {
  row: RequestRow;
  /** The same key and content was accepted before; this is that request. */
  duplicate: boolean;
  depth: number;
}

export interface Finish {
  outcome: Outcome;
  detail?: string | undefined;
  result?: Record<string, unknown>;
}

const INSERT = `INSERT INTO gateway_requests (sequence, request_id, request_kind, payload_json, state, accepted_at_utc,
    managed_agent_instance_epoch, source, priority, idempotency_key, content_digest, expires_at_utc)
  VALUES (${NEXT_NUMBER}, ?, ?, ?, 'accepted', ?, ?, ?, ?, ?, ?, ?)`;

const LIVE = `state IN ('accepted', 'running')`;

/** Finished requests are kept: so many rows, and none longer than so many days. */
export const REQUEST_KEEP = { keepRows: 100_000, keepDays: 30 };
const LEDGER_PAGE = 500;
/** One in so many ends removes as many old rows at most: what is kept does not grow, and no end costs much more. */
const PRUNE_EVERY = 100;
const PRUNE_MOST = PRUNE_EVERY;

/** The durable line of requests. Methods that answer a promise resolve after the commit is on disk. */
export class RequestQueue {
  /** Every entry of the ledger, after it was committed. */
  readonly entries = new Emitter<LedgerEntry>();
  #db: Sqlite;
  #clock: Clock;
  #counts: RequestCounts;
  #ended = 0;

  constructor(db: Sqlite, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    this.#counts = new RequestCounts(db);
  }

  async accept(input: AcceptInput): Promise<Accepted> {
    crashPoint('queue.accept.before-commit');
    const { accepted, entry } = await this.#db.commitTogether((db) => this.acceptWithin(db, input));
    crashPoint('queue.accept.after-commit');
    if (entry) this.entries.emit(entry);
    return accepted;
  }

  /** For callers whose own row must be committed with the request; they emit the entry after their commit. */
  acceptWithin(db: Sqlite, input: AcceptInput): { accepted: Accepted; entry: LedgerEntry | undefined } {
    const { priority, source, idempotencyKey = null } = input;
    const digest = idempotencyKey === null ? null : contentDigest(input);
    const known = this.#known(idempotencyKey, digest);
    if (known) return { accepted: { row: known, duplicate: true, depth: this.depth() }, entry: undefined };
    const now = this.#clock.now();
    const request_id = newRequestId(now);
    const payload_json = JSON.stringify(input.payload);
    const accepted_at_utc = utcStamp(now);
    const expires_at_utc = input.expiresAtUtc ?? null;
    const { lastInsertRowid } = db.run(INSERT, [
      request_id,
      input.kind,
      payload_json,
      accepted_at_utc,
      input.epoch,
      source,
      priority,
      idempotencyKey,
      digest,
      expires_at_utc,
    ]);
    this.#counts.move(1, 1);
    // Written out: spreading objects of this many fields costs more than the insert.
    const row: RequestRow = {
      sequence: Number(lastInsertRowid),
      request_id,
      request_kind: input.kind,
      payload_json,
      state: 'accepted',
      accepted_at_utc,
      started_at_utc: null,
      finished_at_utc: null,
      managed_agent_instance_epoch: input.epoch,
      error_detail: null,
      result_json: null,
      source,
      priority,
      outcome: null,
      waiting_reason: null,
      returns: 0,
      idempotency_key: idempotencyKey,
      expires_at_utc,
    };
    const entry: LedgerEntry = {
      entry_id: row.sequence,
      request_id,
      stage: 'accepted',
      source,
      at_utc: accepted_at_utc,
      facts: { priority },
    };
    return { accepted: { row, duplicate: false, depth: this.depth() }, entry };
  }

  knowsKey(key: string | null | undefined): boolean {
    const known = 'SELECT 1 FROM gateway_requests WHERE idempotency_key = ?';
    return key != null && this.#db.get(known, [key]) !== undefined;
  }

  get(requestId: string): RequestRow {
    const row = this.#db.get<RequestRow>('SELECT * FROM gateway_requests WHERE request_id = ?', [requestId]);
    if (!row) throw notFound(`no request ${requestId}`);
    return row;
  }

  /** Newest first. What runs is few and has an index, which the line before it must not hide. */
  list(filter: { state?: string | undefined; limit: number; before?: number | undefined }): RequestRow[] {
    const of = filter.state === 'running' ? "state = 'running' AND" : '(?1 IS NULL OR state = ?1) AND';
    return this.#db.all<RequestRow>(
      `SELECT * FROM gateway_requests WHERE ${of} sequence < ?2 ORDER BY sequence DESC LIMIT ?3`,
      [filter.state ?? null, filter.before ?? Number.MAX_SAFE_INTEGER, filter.limit],
    );
  }

  ledger(requestId: string): LedgerEntry[] {
    return entriesOf(this.#db, requestId);
  }

  ledgerAfter(entryId: number, requestId?: string): LedgerEntry[] {
    return entriesAfter(this.#db, entryId, { limit: LEDGER_PAGE, requestId });
  }

  lastEntryId(): number {
    return lastNumber(this.#db);
  }

  /** Accepted and running requests. */
  depth(): number {
    return this.#counts.read().live;
  }

  /** The head of the line: interrupts first, then by priority and sequence. */
  line(limit = 50): RequestRow[] {
    const rows = this.#db.all<RequestRow>(
      `SELECT * FROM gateway_requests WHERE state = 'accepted' ORDER BY priority DESC, sequence LIMIT ?`,
      [limit],
    );
    return rows;
  }

  nextInterrupt(): RequestRow | undefined {
    return this.#db.get<RequestRow>(
      `SELECT * FROM gateway_requests WHERE state = 'accepted' AND request_kind = 'interrupt' ORDER BY sequence LIMIT 1`,
    );
  }

  running(): RequestRow[] {
    return this.#db.all<RequestRow>(
      "SELECT * FROM gateway_requests WHERE state = 'running' ORDER BY sequence",
    );
  }

  /** Those of one source that still wait. */
  accepted(source: string): RequestRow[] {
    return this.#db.all<RequestRow>(
      "SELECT * FROM gateway_requests WHERE state = 'accepted' AND source = ? ORDER BY sequence",
      [source],
    );
  }

  /** Takes a request out of the line. False when it is no longer there. */
  async claim(requestId: string): Promise<boolean> {
    crashPoint('queue.claim.before-commit');
    const entry = await this.#db.commitTogether((db) => {
      const { changes } = db.run(
        `UPDATE gateway_requests SET state = 'running', started_at_utc = ?, waiting_reason = NULL
         WHERE request_id = ? AND state = 'accepted'`,
        [utcStamp(this.#clock.now()), requestId],
      );
      return changes === 1 ? appendEntry(db, this.#entry(requestId, 'running', 'dispatch', {})) : undefined;
    });
    crashPoint('queue.claim.after-commit');
    if (entry) this.entries.emit(entry);
    return entry !== undefined;
  }

  /** Writes one stage with its evidence. The lane waits for this before it goes on. */
  async record(
    requestId: string,
    stage: LedgerStage,
    source: string,
    facts: Record<string, unknown>,
  ): Promise<void> {
    crashPoint(`queue.record.${stage}.before-commit`);
    const entry = await this.#db.commitTogether((db) =>
      appendEntry(db, this.#entry(requestId, stage, source, facts)),
    );
    crashPoint(`queue.record.${stage}.after-commit`);
    this.entries.emit(entry);
  }

  async finish(requestId: string, { outcome, detail, result }: Finish): Promise<void> {
    crashPoint('queue.finish.before-commit');
    const entry = await this.#db.commitTogether((db) => {
      const now = utcStamp(this.#clock.now());
      const { changes } = db.run(
        `UPDATE gateway_requests SET state = ?, outcome = ?, finished_at_utc = ?, error_detail = ?, result_json = ?,
           waiting_reason = NULL WHERE request_id = ? AND ${LIVE}`,
        [
          WIRE_STATES[outcome],
          outcome,
          now,
          outcome === 'submitted' ? null : (detail ?? outcome),
          JSON.stringify({
            ...result,
            request_kind: this.get(requestId).request_kind,
            completed_at_utc: now,
          }),
          requestId,
        ],
      );
      if (changes === 0) return undefined;
      this.#counts.move(-1, 0);
      if (++this.#ended % PRUNE_EVERY === 0) this.prune(REQUEST_KEEP);
      return appendEntry(
        db,
        this.#entry(requestId, 'finished', 'dispatch', { outcome, detail: detail ?? null }),
      );
    });
    crashPoint('queue.finish.after-commit');
    if (entry) this.entries.emit(entry);
  }

  /** Back in line, because nothing of it was typed. Only returns after a crash are counted. */
  async giveBack(requestId: string, reason: string, afterCrash = false): Promise<void> {
    const entry = await this.#db.commitTogether((db) => {
      db.run(
        `UPDATE gateway_requests SET state = 'accepted', started_at_utc = NULL, waiting_reason = ?, returns = returns + ?
         WHERE request_id = ? AND state = 'running'`,
        [reason, afterCrash ? 1 : 0, requestId],
      );
      return appendEntry(db, this.#entry(requestId, 'returned', 'dispatch', { reason }));
    });
    this.entries.emit(entry);
  }

  /** Why the request still waits. Written only when it changed. */
  noteWaiting(row: RequestRow, reason: string): void {
    if (row.waiting_reason === reason) return;
    this.#db.run(
      "UPDATE gateway_requests SET waiting_reason = ? WHERE request_id = ? AND state = 'accepted'",
      [reason, row.request_id],
    );
  }

  /** Only what has not begun can be cancelled. */
  async cancel(requestId: string): Promise<RequestRow> {
    const row = this.get(requestId);
    if (row.state !== 'accepted') {
      throw conflict(`request ${requestId} is ${row.state}; only an accepted request can be cancelled`);
    }
    await this.finish(requestId, { outcome: 'cancelled', detail: 'cancelled on request' });
    return this.get(requestId);
  }

  /** Ends what has waited past its time. */
  async expire(): Promise<number> {
    const late = this.#db.all<{ request_id: string }>(
      `SELECT request_id FROM gateway_requests WHERE state = 'accepted' AND expires_at_utc IS NOT NULL
       AND expires_at_utc <= ? LIMIT 500`,
      [utcStamp(this.#clock.now())],
    );
    await Promise.all(
      late.map((row) =>
        this.finish(row.request_id, { outcome: 'expired', detail: 'expired before it could run' }),
      ),
    );
    return late.length;
  }

  nextExpiry(): string | undefined {
    return (
      this.#db.get<{ at: string | null }>(
        `SELECT MIN(expires_at_utc) AS at FROM gateway_requests WHERE state = 'accepted' AND expires_at_utc IS NOT NULL`,
      )?.at ?? undefined
    );
  }

  /** What the control intents at the head of the line come to. Looks further than its head only when that is one. */
  plan(): CoalescePlan | undefined {
    const [head] = this.line(1);
    return head && isControlIntent(head) ? planCoalescing(this.line()) : undefined;
  }

  /** Ends a request and those that were joined to it: `coalesced` when it did their work, otherwise as it ended. */
  async finishJoined(requestId: string, ending: Finish, plan: CoalescePlan | undefined): Promise<void> {
    const { outcome, detail } = ending;
    const joined = plan?.drop.filter(({ into }) => into === requestId) ?? [];
    const end = (action: string): Finish => {
      if (outcome !== 'submitted') {
        const why = detail === undefined ? '' : `: ${detail}`;
        return { outcome, detail: `joined to ${requestId}, which ended as ${outcome}${why}` };
      }
      return {
        outcome: 'coalesced',
        detail: `coalesced into ${requestId}`,
        result: {
          coalesced_at_utc: utcStamp(this.#clock.now()),
          coalesced_into_request_id: requestId,
          coalesced_reason: 'superseded_control_intent',
          effective_actions: plan!.effectiveActions,
          original_action: action,
        },
      };
    };
    await Promise.all([
      this.finish(requestId, ending),
      ...joined.map((each) => this.finish(each.requestId, end(each.action))),
    ]);
  }

  /**
   * Removes finished rows beyond `keepRows` or older than `keepDays`, with their ledgers. Looks only at the oldest rows,
   * so it costs the same however many there are; the one that moved last stays. Answers how many went.
   */
  prune({ keepRows, keepDays }: { keepRows: number; keepDays: number }): number {
    const before = utcStamp(new Date(this.#clock.now().getTime() - keepDays * 86_400_000));
    const { kept, live } = this.#counts.read();
    const { changes } = this.#db.run(
      `DELETE FROM gateway_requests WHERE sequence IN (
         SELECT sequence FROM (
           SELECT sequence, finished_at_utc, ROW_NUMBER() OVER (ORDER BY sequence) AS place FROM (
             SELECT sequence, state, finished_at_utc, request_id FROM gateway_requests ORDER BY sequence LIMIT ?3)
           WHERE NOT ${LIVE} AND request_id IS NOT (SELECT request_id FROM gateway_request_ledger ORDER BY entry_id DESC LIMIT 1))
         WHERE finished_at_utc < ?1 OR place <= ?2)`,
      [before, kept - live - keepRows, PRUNE_MOST],
    );
    if (changes > 0) this.#counts.move(0, -changes);
    return changes;
  }

  #known(key: string | null, digest: string | null): RequestRow | undefined {
    if (key === null) return undefined;
    const row = this.#db.get<RequestRow & { content_digest: string }>(
      'SELECT * FROM gateway_requests WHERE idempotency_key = ?',
      [key],
    );
    if (row && row.content_digest !== digest) {
      throw conflict(`idempotency key "${key}" was used for other content (request ${row.request_id})`, {
        hint: 'use a new key for a new request',
      });
    }
    return row;
  }

  #entry(
    request_id: string,
    stage: LedgerStage,
    source: string,
    facts: Record<string, unknown>,
  ): Omit<LedgerEntry, 'entry_id'> {
    return { request_id, stage, source, at_utc: utcStamp(this.#clock.now()), facts };
  }
}

/** Tells whether a known key comes with the same content again. */
function contentDigest({ kind, payload }: AcceptInput): string {
  return createHash('sha256')
    .update(stableJson([kind, payload]))
    .digest('hex');
}
