import { type Clock, utcStamp } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import {
  NO_WAKES,
  type QuietHours,
  type SettingKind,
  sqlIs,
  WAKES,
  type WakeSetting,
  type WakeSettingName,
  type WakeValues,
  wakeSettings,
} from '../../domain/index.ts';
import { type NotifierDecision, quietHours } from '../../wire/index.ts';

export interface NotifierRecord extends WakeValues {
  enabled: boolean;
  last_poll_at_utc: string | null;
  last_notification_at_utc: string | null;
  last_notified_digest: string | null;
  last_error: string | null;
  repeats: number;
}

export type AuditRow = Omit<NotifierDecision, 'audit_id'>;

/** How many rows, bytes and days are kept. */
export const AUDIT_KEEP = { rows: 10_000, bytes: 16 * 1024 * 1024, days: 30 };

const NEVER: NotifierRecord = {
  ...NO_WAKES,
  enabled: false,
  last_poll_at_utc: null,
  last_notification_at_utc: null,
  last_notified_digest: null,
  last_error: null,
  repeats: 0,
};

/** Each setting has a column of its own name, or of the name in the table. */
type Row = Omit<NotifierRecord, 'enabled' | WakeSettingName> & { enabled: number } & Record<string, unknown>;

const columnOf = (name: WakeSettingName, { column }: WakeSetting): string => column ?? name;
const SETTING_COLUMNS = wakeSettings.map(([name, setting]) => columnOf(name, setting)).join(', ');

/** The notifier's record, its audit, and which request announced which message to which agent process. */
export class NotifierStore {
  #db: Sqlite;
  #clock: Clock;
  /** As it was last read. */
  #known = NEVER;
  #announced: { epoch: number; refs: ReadonlySet<string> } | undefined;

  constructor(db: Sqlite, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Reads from storage every time: another program may have changed it. */
  read(): NotifierRecord {
    const row = this.#db.get<Row>(
      `SELECT enabled, last_poll_at_utc, last_notification_at_utc, last_notified_digest, last_error, repeats,
         ${SETTING_COLUMNS} FROM gateway_mail_notifier`,
    );
    this.#known = row ? recordOf(row) : NEVER;
    return this.#known;
  }

  /** Whether wakes were ever turned on or off. */
  get isSet(): boolean {
    return this.read() !== NEVER;
  }

  /** For display only: if storage cannot be read now, the last known record is used. */
  shown(): NotifierRecord {
    try {
      return this.read();
    } catch {
      return this.#known;
    }
  }

  /** Writes only these fields, so that changes of other programs are kept. */
  change(changes: Partial<NotifierRecord>): void {
    const { enabled, ...plain } = changes;
    const all = {
      ...Object.fromEntries(Object.entries(plain).filter(([name]) => !(name in NO_WAKES))),
      ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
      ...Object.fromEntries(
        wakeSettings.map(([name, setting]) => [columnOf(name, setting), stored(plain[name])]),
      ),
      updated_at_utc: utcStamp(this.#clock.now()),
    };
    const columns = Object.entries(all).filter(([, value]) => value !== undefined);
    const names = columns.map(([name]) => name);
    this.#db.run(
      `INSERT INTO gateway_mail_notifier (singleton, ${names.join(', ')}) VALUES (1, ${names.map(() => '?').join(', ')})
       ON CONFLICT (singleton) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
      columns.map(([, value]) => value),
    );
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

  /** Times of the wakes in this range, newest first. */
  wakesBetween(fromUtc: string, toUtc: string): string[] {
    return this.#db
      .all<{ at: string }>(
        `SELECT poll_time_utc AS at FROM gateway_notifier_audit
         WHERE ${IS_WAKE} AND poll_time_utc >= ? AND poll_time_utc <= ? ORDER BY poll_time_utc DESC`,
        [fromUtc, toUtc],
      )
      .map((row) => row.at);
  }

  /**
   * The messages announced to the agent process of this epoch. The same set until something is announced, so a look at
   * an unchanged mailbox costs the same whatever its size.
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

  /** The request that first announced an eligible message, to the newest process it was announced to. */
  announcedBy(messageRef: string): string | undefined {
    return this.#db.get<{ request_id: string }>(
      'SELECT request_id FROM gateway_notifier_announced WHERE message_ref = ?',
      [messageRef],
    )?.request_id;
  }

  /** Announces exactly these to the process of this epoch; messages that are no longer eligible are forgotten. */
  announce(refs: readonly string[], { requestId, epoch }: { requestId: string; epoch: number }): void {
    // Read again afterwards: the transaction may be rolled back.
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

  /** The wake did not arrive. Its mail counts as changed at the next interval; events do not trigger it immediately. */
  wakeFailed(): void {
    if (this.read().last_notified_digest !== null) this.change({ last_notified_digest: null, repeats: 0 });
  }

  /** Wakes of the last hour are always kept: the budget counts them. */
  #prune(): void {
    const now = this.#clock.now().getTime();
    this.#db.run(
      `DELETE FROM gateway_notifier_audit
       WHERE (poll_time_utc < ?1 OR audit_id <= (SELECT MAX(audit_id) FROM gateway_notifier_audit) - ?2
         OR audit_id <= (SELECT MAX(audit_id) FROM (SELECT audit_id, SUM(${ROW_BYTES}) OVER (ORDER BY audit_id DESC) AS bytes
           FROM gateway_notifier_audit) WHERE bytes > ?3))
       AND NOT (${IS_WAKE} AND poll_time_utc >= ?4)`,
      [
        utcStamp(new Date(now - AUDIT_KEEP.days * 86_400_000)),
        AUDIT_KEEP.rows,
        AUDIT_KEEP.bytes,
        utcStamp(new Date(now - 3_600_000)),
      ],
    );
  }
}

/** An object is stored as JSON. */
const stored = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** A value that none of our commands writes is left out; it never stops a pass. */
function recordOf({ enabled, ...row }: Row): NotifierRecord {
  const settings = wakeSettings.map(([name, setting]) => {
    const { [columnOf(name, setting)]: value } = row;
    return [name, isSettingValue(setting.kind, value) ? READ[setting.kind.type](value) : setting.fallback];
  });
  const { last_poll_at_utc, last_notification_at_utc, last_notified_digest, last_error, repeats } = row;
  return {
    ...(Object.fromEntries(settings) as WakeValues),
    enabled: enabled === 1,
    last_poll_at_utc,
    last_notification_at_utc,
    last_notified_digest,
    last_error,
    repeats,
  };
}

const READ: Record<SettingKind['type'], (value: unknown) => unknown> = {
  whole: (value) => value,
  code: (value) => value,
  hours: (value) => readQuietHours(value as string),
};

function isSettingValue(kind: SettingKind, value: unknown): boolean {
  switch (kind.type) {
    case 'whole':
      return Number.isSafeInteger(value) && (value as number) >= kind.from;
    case 'code':
      return kind.codes.includes(value as string);
    case 'hours':
      return typeof value === 'string';
  }
}

function readQuietHours(json: string | null): QuietHours | null {
  try {
    return quietHours
      .nullable()
      .catch(null)
      .parse(JSON.parse(json ?? 'null'));
  } catch {
    return null;
  }
}

const IS_WAKE = sqlIs('outcome', WAKES);

const ROW_BYTES = ['unread_summary_json', 'facts_json', 'chain_json', 'detail']
  .map((column) => `COALESCE(LENGTH(CAST(${column} AS BLOB)), 0)`)
  .join(' + ');
