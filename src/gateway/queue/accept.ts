import { conflict, sha256, stableJson, utcStamp } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import { newRequestId } from '../../domain/index.ts';
import { type LedgerEntry, NEXT_NUMBER } from './ledger.ts';
import type { AcceptInput, RequestRow } from './request.ts';

const INSERT = `INSERT INTO gateway_requests (sequence, request_id, request_kind, payload_json, state, accepted_at_utc,
    managed_agent_instance_epoch, source, priority, idempotency_key, content_digest, expires_at_utc)
  VALUES (${NEXT_NUMBER}, ?, ?, ?, 'accepted', ?, ?, ?, ?, ?, ?, ?)`;

/** Writes a single row: the request, which is also the first entry of its ledger. */
export function insertRequest(db: Sqlite, input: AcceptInput, now: Date): RequestRow {
  const { kind, priority, source, epoch, idempotencyKey = null } = input;
  const digest = idempotencyKey === null ? null : contentDigest(input);
  const request_id = newRequestId(now);
  const payload_json = JSON.stringify(input.payload);
  const accepted_at_utc = utcStamp(now);
  const expires_at_utc = input.expiresAtUtc ?? null;
  const { lastInsertRowid } = db.run(INSERT, [
    request_id,
    kind,
    payload_json,
    accepted_at_utc,
    epoch,
    source,
    priority,
    idempotencyKey,
    digest,
    expires_at_utc,
  ]);
  // Written out: reading the row back, or spreading objects of this many fields, costs more than the insert.
  return {
    sequence: Number(lastInsertRowid),
    request_id,
    request_kind: kind,
    payload_json,
    state: 'accepted',
    accepted_at_utc,
    started_at_utc: null,
    finished_at_utc: null,
    managed_agent_instance_epoch: epoch,
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
}

const rows = new WeakMap<LedgerEntry, RequestRow>();

export function firstEntry(row: RequestRow): LedgerEntry {
  const { sequence, request_id, source, priority, accepted_at_utc } = row;
  const entry: LedgerEntry = {
    entry_id: sequence,
    request_id,
    stage: 'accepted',
    source,
    at_utc: accepted_at_utc,
    facts: { priority },
  };
  rows.set(entry, row);
  return entry;
}

/** The row this first entry was made from; undefined for an entry read from the ledger. */
export function rowOf(entry: LedgerEntry): RequestRow | undefined {
  return rows.get(entry);
}

/** The request accepted earlier with this key; `conflict` if the key came with other content. */
export function findByKey(db: Sqlite, input: AcceptInput): RequestRow | undefined {
  const key = input.idempotencyKey;
  if (key == null) return undefined;
  const row = db.get<RequestRow & { content_digest: string }>(
    'SELECT * FROM gateway_requests WHERE idempotency_key = ?',
    [key],
  );
  if (row && row.content_digest !== contentDigest(input)) {
    throw conflict(`idempotency key "${key}" was used for other content (request ${row.request_id})`, {
      hint: 'use a new key for a new request',
    });
  }
  return row;
}

/** Identifies the content that came with a key. */
function contentDigest({ kind, payload }: AcceptInput): string {
  return sha256(stableJson([kind, payload]));
}
