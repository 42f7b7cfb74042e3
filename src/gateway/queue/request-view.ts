import type { LedgerEntry } from './ledger.ts';
import { payloadOf, type RequestRow } from './request.ts';

/** A request as it is shown: the contract's fields and its outcome; with the ledger also its proof and result. */
export function toRequestView(row: RequestRow, ledger?: LedgerEntry[]) {
  return {
    schema_version: 1 as const,
    request_id: row.request_id,
    request_kind: row.request_kind,
    state: row.state,
    outcome: row.outcome,
    accepted_at_utc: row.accepted_at_utc,
    started_at_utc: row.started_at_utc,
    finished_at_utc: row.finished_at_utc,
    expires_at_utc: row.expires_at_utc,
    managed_agent_instance_epoch: row.managed_agent_instance_epoch,
    source: row.source,
    priority: row.priority,
    sequence: row.sequence,
    waiting_reason: row.waiting_reason,
    error_detail: row.error_detail,
    payload: payloadOf(row),
    ...(ledger && {
      result: row.result_json === null ? null : (JSON.parse(row.result_json) as Record<string, unknown>),
      ledger: ledger.map(({ stage, source, at_utc, facts }) => ({ stage, source, at_utc, facts })),
    }),
  };
}

/** How many bytes of each payload text a list shows; a single request is shown whole. */
const MAX_LISTED_BYTES = 2048;

/** A request in a list: long texts are cut, and `payload_cut` says so. */
export function toListedRequest(row: RequestRow) {
  const view = toRequestView(row);
  if (row.payload_json.length <= MAX_LISTED_BYTES) return view;
  const payload = Object.fromEntries(
    Object.entries(view.payload).map(([name, value]) => [
      name,
      typeof value === 'string' ? cut(value) : value,
    ]),
  );
  const payload_cut = Object.entries(payload).some(([name, value]) => value !== view.payload[name]);
  return { ...view, payload, ...(payload_cut && { payload_cut: true as const }) };
}

/** Cuts by bytes, but never inside a character. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_LISTED_BYTES
    ? text
    : new TextDecoder().decode(bytes.subarray(0, MAX_LISTED_BYTES), { stream: true });
}
