import { type Clock, conflict, crashPoint, Emitter, isRouseError, utcStamp } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  LIVE_REQUESTS,
  REQUEST_OUTCOMES,
  type RequestOutcome,
  type RequestStage,
  sqlList,
} from '../../domain/index.ts';
import { findByKey, firstEntry, insertRequest, rowOf } from './accept.ts';
import { type CoalescePlan, isControlIntent, planCoalescing } from './coalesce.ts';
import { RequestCounts } from './counts.ts';
import { appendEntry, type LedgerEntry } from './ledger.ts';
import type { OpenedFile } from './opened-file.ts';
import { QueueCapacity } from './queue-capacity.ts';
import type { AcceptInput, RequestRow } from './request.ts';
import { RequestReader, type Whose } from './request-reader.ts';
import { type Keep, PRUNE_EVERY, REQUEST_KEEP, removeOld } from './retention.ts';

export interface Accepted {
  row: RequestRow;
  /** The same key and content was accepted before; this is that request. */
  duplicate: boolean;
  depth: number;
}

export interface Finish {
  outcome: RequestOutcome;
  detail?: string | undefined;
  result?: Record<string, unknown>;
}

/** The ledger entries that were written in a commit. */
interface Committed {
  entry?: LedgerEntry | undefined;
  entries?: readonly LedgerEntry[];
}

const LIVE = `state IN ${sqlList(LIVE_REQUESTS)}`;

/** The durable queue of requests. Methods that return a promise resolve after the commit is on disk. */
export class RequestQueue extends RequestReader {
  /** Emits every ledger entry after its commit. */
  readonly entries = new Emitter<LedgerEntry>();
  /** Emits when the disk refused a commit. */
  readonly refused = new Emitter<void>();
  #clock: Clock;
  #counts: RequestCounts;
  #ended = 0;
  #capacity = new QueueCapacity();
  #file: OpenedFile | undefined;

  /** With `file`, nothing is accepted into a file that was replaced or removed. */
  constructor(db: Sqlite, clock: Clock, file?: OpenedFile) {
    super(db);
    this.#file = file;
    this.#clock = clock;
    this.#counts = new RequestCounts(db);
  }

  async accept(input: AcceptInput): Promise<Accepted> {
    crashPoint('queue.accept.before-commit');
    const { accepted, entry } = await this.#commit((db) => this.#acceptWithin(db, input));
    crashPoint('queue.accept.after-commit');
    this.#file?.requireSound();
    if (entry) this.entries.emit(entry);
    return accepted;
  }

  /** Commits what a caller stores about the requests it accepts together with them: all or nothing. */
  async acceptWith<T>(work: (accept: (input: AcceptInput) => Accepted) => T): Promise<T> {
    const { done, entries } = await this.#commit((db) => {
      const entries: LedgerEntry[] = [];
      const accept = (input: AcceptInput): Accepted => {
        const { accepted, entry } = this.#acceptWithin(db, input);
        if (entry) entries.push(entry);
        return accepted;
      };
      return { done: work(accept), entries };
    });
    for (const entry of entries) this.entries.emit(entry);
    return done;
  }

  #acceptWithin(db: Sqlite, input: AcceptInput): { accepted: Accepted; entry: LedgerEntry | undefined } {
    const known = findByKey(db, input);
    if (known) return { accepted: { row: known, duplicate: true, depth: this.depth() }, entry: undefined };
    this.#file?.requireSound();
    this.#capacity.requireRoom(db, input, this.depth());
    const row = insertRequest(db, input, this.#clock.now());
    this.#counts.move(1, 1);
    return { accepted: { row, duplicate: false, depth: this.depth() }, entry: firstEntry(row) };
  }

  /** The request as it was accepted, for receivers of that entry; avoids reading it again. */
  acceptedRow(entry: LedgerEntry): RequestRow {
    return rowOf(entry) ?? this.get(entry.request_id);
  }

  /** Accepted and running requests. */
  depth(): number {
    return this.#counts.read().live;
  }

  /** How many kept requests of this kind were proven to be submitted. */
  submitted(kind: RequestRow['request_kind']): number {
    return this.db.get<{ count: number }>(
      `SELECT COUNT(*) AS count FROM gateway_requests WHERE request_kind = ? AND outcome = 'submitted'`,
      [kind],
    )!.count;
  }

  /** Claims a queued request. Returns false if it is no longer queued. */
  async claim(requestId: string): Promise<boolean> {
    crashPoint('queue.claim.before-commit');
    const { entry } = await this.#commit((db) => {
      const { changes } = db.run(
        `UPDATE gateway_requests SET state = 'running', started_at_utc = ?, waiting_reason = NULL
         WHERE request_id = ? AND state = 'accepted'`,
        [utcStamp(this.#clock.now()), requestId],
      );
      const begun = this.#entry(requestId, 'running', 'dispatch', {});
      return { entry: changes === 1 ? appendEntry(db, begun) : undefined };
    });
    crashPoint('queue.claim.after-commit');
    if (entry) this.entries.emit(entry);
    return entry !== undefined;
  }

  /** Stores one stage with its evidence. The lane waits for this before it continues. */
  async record(
    requestId: string,
    stage: RequestStage,
    source: string,
    facts: Record<string, unknown>,
  ): Promise<void> {
    crashPoint(`queue.record.${stage}.before-commit`);
    const { entry } = await this.#commit((db) => ({
      entry: appendEntry(db, this.#entry(requestId, stage, source, facts)),
    }));
    crashPoint(`queue.record.${stage}.after-commit`);
    this.entries.emit(entry);
  }

  async finish(requestId: string, { outcome, detail, result }: Finish): Promise<void> {
    crashPoint('queue.finish.before-commit');
    const { entry } = await this.#commit((db) => {
      const now = utcStamp(this.#clock.now());
      const { changes } = db.run(
        `UPDATE gateway_requests SET state = ?, outcome = ?, finished_at_utc = ?, error_detail = ?, result_json = ?,
           waiting_reason = NULL WHERE request_id = ? AND ${LIVE}`,
        [
          REQUEST_OUTCOMES[outcome].state,
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
      if (changes === 0) return { entry: undefined };
      this.#counts.move(-1, 0);
      if (++this.#ended % PRUNE_EVERY === 0) this.prune(REQUEST_KEEP);
      const facts = { outcome, detail: detail ?? null };
      return { entry: appendEntry(db, this.#entry(requestId, 'finished', 'dispatch', facts)) };
    });
    crashPoint('queue.finish.after-commit');
    if (entry) this.entries.emit(entry);
  }

  /** Requeues a request of which nothing is in the tool. Returns are counted if it may have been typed. */
  async giveBack(
    requestId: string,
    reason: string,
    { counted = false, evidence = [] as unknown[] } = {},
  ): Promise<void> {
    const { entry } = await this.#commit((db) => {
      db.run(
        `UPDATE gateway_requests SET state = 'accepted', started_at_utc = NULL, waiting_reason = ?, returns = returns + ?
         WHERE request_id = ? AND state = 'running'`,
        [reason, counted ? 1 : 0, requestId],
      );
      const facts = { reason, ...(evidence.length > 0 && { evidence }) };
      return { entry: appendEntry(db, this.#entry(requestId, 'returned', 'dispatch', facts)) };
    });
    this.entries.emit(entry);
  }

  /** A person wants the agent process of this epoch to run these, although they were accepted for an earlier one. */
  async keep(requestIds: readonly string[], epoch: number): Promise<void> {
    const { entries } = await this.#commit((db) => ({
      entries: requestIds.flatMap((id) => {
        const { managed_agent_instance_epoch: from_epoch } = this.get(id);
        const { changes } = db.run(
          `UPDATE gateway_requests SET managed_agent_instance_epoch = ? WHERE request_id = ? AND state = 'accepted'`,
          [epoch, id],
        );
        const facts = { from_epoch, to_epoch: epoch };
        return changes === 1 ? [appendEntry(db, this.#entry(id, 'kept', 'reconciliation', facts))] : [];
      }),
    }));
    for (const entry of entries) this.entries.emit(entry);
  }

  /** Stores why the request still waits, if that changed. */
  noteWaiting(row: RequestRow, reason: string): void {
    if (row.waiting_reason === reason) return;
    this.db.run(
      "UPDATE gateway_requests SET waiting_reason = ? WHERE request_id = ? AND state = 'accepted'",
      [reason, row.request_id],
    );
  }

  /** Only requests that have not begun can be cancelled. */
  async cancel(requestId: string): Promise<RequestRow> {
    const row = this.get(requestId);
    if (row.state !== 'accepted') {
      const state = row.outcome === null ? `is ${row.state}` : `has ended (${row.outcome})`;
      throw conflict(`request ${requestId} ${state}; only an accepted request can be cancelled`);
    }
    await this.finish(requestId, { outcome: 'cancelled', detail: 'cancelled on request' });
    return this.get(requestId);
  }

  /** Ends requests that have waited past their time. */
  async expire(): Promise<number> {
    const late = this.db.all<{ request_id: string }>(
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

  /** How the control intents at the head of the queue are merged. Looks beyond the head only if the head is one. */
  plan(whose?: Whose): CoalescePlan | undefined {
    const [head] = this.queued(1, whose);
    return head && isControlIntent(head) ? planCoalescing(this.queued(undefined, whose)) : undefined;
  }

  /**
   * Ends a request and those joined to it: as `coalesced` if it did their work, otherwise like it. Joined requests were
   * never typed, so they never end as `unconfirmed`.
   */
  async finishJoined(requestId: string, ending: Finish, plan: CoalescePlan | undefined): Promise<void> {
    const { outcome, detail } = ending;
    const joined = plan?.drop.filter(({ into }) => into === requestId) ?? [];
    const end = (action: string): Finish => {
      if (outcome !== 'submitted') {
        const why = detail === undefined ? '' : `: ${detail}`;
        return {
          outcome: outcome === 'unconfirmed' ? 'failed' : outcome,
          detail: `not typed: joined to ${requestId}, which ended as ${outcome}${why}`,
        };
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

  /** Removes finished rows that need not be kept. Returns how many. */
  prune(keep: Keep): number {
    const removed = removeOld(this.db, this.#clock, this.#counts.read(), keep);
    if (removed > 0) this.#counts.move(0, -removed);
    return removed;
  }

  /**
   * Runs one commit; the caller emits its entries once it is on disk. If the disk took the change but refused the sync,
   * it can be read anyway: readers of storage are notified here, while the caller, who was promised nothing, gets the
   * error.
   */
  async #commit<T extends Committed>(work: (db: Sqlite) => T): Promise<T> {
    let done: T | undefined;
    try {
      return await this.db.commitTogether((db) => (done = work(db)));
    } catch (error) {
      const { entry, entries = entry ? [entry] : [] } = done ?? ({} as Committed);
      for (const each of entries) if (this.#isStored(each)) this.entries.emit(each);
      if (isRouseError(error) && 'sqlite_code' in error.facts) this.refused.emit();
      throw error;
    }
  }

  /** Throws if the disk refuses writes. Changes nothing that is read. */
  probe(): void {
    this.db.transaction((db) => {
      db.exec('CREATE TABLE probe (value)');
      db.exec('DROP TABLE probe');
    });
  }

  #isStored({ entry_id, request_id, stage }: LedgerEntry): boolean {
    const where = 'entry_id = ? AND request_id = ? AND stage = ?';
    return (
      this.db.get(`SELECT 1 FROM gateway_request_stages WHERE ${where}`, [entry_id, request_id, stage]) !==
      undefined
    );
  }

  #entry(
    request_id: string,
    stage: RequestStage,
    source: string,
    facts: Record<string, unknown>,
  ): Omit<LedgerEntry, 'entry_id'> {
    return { request_id, stage, source, at_utc: utcStamp(this.#clock.now()), facts };
  }
}
