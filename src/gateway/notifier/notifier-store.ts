import { type Clock, utcStamp } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import type { NotifierMode, RepeatPolicy } from '../../domain/index.ts';
import type { NotifierDecision } from '../../wire/index.ts';
import type { QuietHours } from './quiet-hours.ts';

export interface NotifierRecord {
  enabled: boolean;
  interval_seconds: number | null;
  mode: NotifierMode;
  last_poll_at_utc: string | null;
  last_notification_at_utc: string | null;
  last_notified_digest: string | null;
  last_error: string | null;
  repeat: RepeatPolicy;
  quiet_hours: QuietHours | null;
  wakes_per_hour: number | null;
  repeats: number;
}

export type AuditRow = Omit<NotifierDecision, 'audit_id'>;

/** Kept: so many rows and bytes, and none older than so many days. */
export const AUDIT_KEEP = { rows: 10_000, bytes: 16 * 1024 * 1024, days: 30 };

const NEVER: NotifierRecord = {
  enabled: false,
  interval_seconds: null,
  mode: 'any_inbox',
  last_poll_at_utc: null,
  last_notification_at_utc: null,
  last_notified_digest: null,
  last_error: null,
  repeat: 'every_poll',
  quiet_hours: null,
  wakes_per_hour: null,
  repeats: 0,
};

type Row = Omit<NotifierRecord, 'enabled' | 'repeat' | 'quiet_hours'> & {
  enabled: number;
  repeat_policy: RepeatPolicy;
  quiet_hours_json: string | null;
};

/** The notifier's record, its audit, and which messages have been announced by which request to which agent process. */
export class NotifierStore {
  #db: Sqlite;
  #clock: Clock;
  /** Asked for at every change of anything that is shown; the gateway is the only writer. */
  #known: NotifierRecord | undefined;
  #announced: { epoch: number; refs: ReadonlySet<string> } | undefined;

  constructor(db: Sqlite, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  read(): NotifierRecord {
    this.#known ??= this.#stored();
    return this.#known;
  }

  #stored(): NotifierRecord {
    const row = this.#db.get<Row>(
      `SELECT enabled, interval_seconds, mode, last_poll_at_utc, last_notification_at_utc, last_notified_digest,
         last_error, repeat_policy, quiet_hours_json, wakes_per_hour, repeats FROM gateway_mail_notifier`,
    );
    if (!row) return NEVER;
    const { enabled, repeat_policy, quiet_hours_json, ...rest } = row;
    return {
      ...rest,
      enabled: enabled === 1,
      repeat: repeat_policy,
      quiet_hours: quiet_hours_json === null ? null : (JSON.parse(quiet_hours_json) as QuietHours),
    };
  }

  change(changes: Partial<NotifierRecord>): NotifierRecord {
    const record = { ...this.read(), ...changes };
    this.#db.run(
      `INSERT OR REPLACE INTO gateway_mail_notifier (singleton, enabled, interval_seconds, mode, last_poll_at_utc,
         last_notification_at_utc, last_notified_digest, last_error, updated_at_utc, repeat_policy, quiet_hours_json,
         wakes_per_hour, repeats) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        record.enabled ? 1 : 0,
        record.interval_seconds,
        record.mode,
        record.last_poll_at_utc,
        record.last_notification_at_utc,
        record.last_notified_digest,
        record.last_error,
        utcStamp(this.#clock.now()),
        record.repeat,
        record.quiet_hours && JSON.stringify(record.quiet_hours),
        record.wakes_per_hour,
        record.repeats,
      ],
    );
    this.#known = record;
    this.#db.whenUndone(() => {
      this.#known = undefined;
    });
    return record;
  }

  audit(row: AuditRow): void {
    const { lastInsertRowid } = this.#db.run(
      `INSERT INTO gateway_notifier_audit (poll_time_utc, unread_count, unread_digest, unread_summary_json,
         request_admission, active_execution, queue_depth, outcome, enqueued_request_id, detail, facts_json, chain_json)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        row.poll_time_utc,
        row.unread_count,
        row.unread_digest,
        JSON.stringify(row.unread_summary),
        row.request_admission,
        row.active_execution,
        row.queue_depth,
        row.outcome,
        row.enqueued_request_id,
        row.detail,
        row.facts && JSON.stringify(row.facts),
        JSON.stringify(row.chain),
      ],
    );
    if (Number(lastInsertRowid) % 100 === 0) this.#prune();
  }

  decisions(limit: number, before?: number): NotifierDecision[] {
    return this.#db
      .all<
        Omit<NotifierDecision, 'unread_summary' | 'facts' | 'chain'> & {
          unread_summary_json: string;
          facts_json: string | null;
          chain_json: string;
        }
      >(
        'SELECT * FROM gateway_notifier_audit WHERE (?1 IS NULL OR audit_id < ?1) ORDER BY audit_id DESC LIMIT ?2',
        [before ?? null, limit],
      )
      .map(({ unread_summary_json, facts_json, chain_json, ...row }) => ({
        ...row,
        unread_summary: JSON.parse(unread_summary_json),
        facts: facts_json === null ? null : JSON.parse(facts_json),
        chain: JSON.parse(chain_json),
      }));
  }

  /** When the wakes between the two were, newest first. */
  wakesBetween(fromUtc: string, toUtc: string): string[] {
    return this.#db
      .all<{ at: string }>(
        `SELECT poll_time_utc AS at FROM gateway_notifier_audit
         WHERE outcome = 'enqueued' AND poll_time_utc >= ? AND poll_time_utc <= ? ORDER BY poll_time_utc DESC`,
        [fromUtc, toUtc],
      )
      .map((row) => row.at);
  }

  /**
   * What the agent process of this epoch was told of. The same set until something is announced: a look at an unchanged
   * mailbox costs the same whatever its size.
   */
  announced(epoch: number): ReadonlySet<string> {
    if (this.#announced?.epoch !== epoch) {
      const rows = this.#db.all<{ message_ref: string }>(
        'SELECT message_ref FROM gateway_notifier_announced WHERE epoch = ?',
        [epoch],
      );
      this.#announced = { epoch, refs: new Set(rows.map((row) => row.message_ref)) };
    }
    return this.#announced.refs;
  }

  /** The request that announced a message first to the newest process that was told of it, while it is eligible. */
  announcedBy(messageRef: string): string | undefined {
    return this.#db.get<{ request_id: string }>(
      'SELECT request_id FROM gateway_notifier_announced WHERE message_ref = ?',
      [messageRef],
    )?.request_id;
  }

  /** Exactly these are announced now, to the process of this epoch; what is no longer eligible is forgotten. */
  announce(refs: readonly string[], { requestId, epoch }: { requestId: string; epoch: number }): void {
    // Read anew afterwards: the transaction may yet be undone.
    this.#announced = undefined;
    const list = JSON.stringify(refs);
    this.#db.run(
      'DELETE FROM gateway_notifier_announced WHERE message_ref NOT IN (SELECT value FROM json_each(?))',
      [list],
    );
    this.#db.run(
      `INSERT INTO gateway_notifier_announced (message_ref, request_id, epoch)
       SELECT value, ?2, ?3 FROM json_each(?1) WHERE true
       ON CONFLICT (message_ref) DO UPDATE SET request_id = ?2, epoch = ?3 WHERE epoch <> ?3`,
      [list, requestId, epoch],
    );
  }

  /** The wake did not arrive. Its mail counts as changed at the next interval; events do not ask again at once. */
  wakeFailed(): void {
    if (this.read().last_notified_digest !== null) this.change({ last_notified_digest: null, repeats: 0 });
  }

  /** Wakes of the last hour stay in any case: the budget counts them. */
  #prune(): void {
    const now = this.#clock.now().getTime();
    this.#db.run(
      `DELETE FROM gateway_notifier_audit
       WHERE (poll_time_utc < ?1 OR audit_id <= (SELECT MAX(audit_id) FROM gateway_notifier_audit) - ?2
         OR audit_id <= (SELECT MAX(audit_id) FROM (SELECT audit_id, SUM(${ROW_BYTES}) OVER (ORDER BY audit_id DESC) AS bytes
           FROM gateway_notifier_audit) WHERE bytes > ?3))
       AND NOT (outcome = 'enqueued' AND poll_time_utc >= ?4)`,
      [
        utcStamp(new Date(now - AUDIT_KEEP.days * 86_400_000)),
        AUDIT_KEEP.rows,
        AUDIT_KEEP.bytes,
        utcStamp(new Date(now - 3_600_000)),
      ],
    );
  }
}

const ROW_BYTES = ['unread_summary_json', 'facts_json', 'chain_json', 'detail']
  .map((column) => `COALESCE(LENGTH(CAST(${column} AS BLOB)), 0)`)
  .join(' + ');
