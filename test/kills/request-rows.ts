import * as path from 'node:path';
import { Sqlite } from '../../src/db/sqlite/sqlite-connection.ts';
import { evenly } from './witness.ts';

/** A request in the gateway's database. */
export interface Row {
  request_id: string;
  idempotency_key: string | null;
  payload_json: string;
  source: string;
  state: string;
  outcome: string | null;
  waiting_reason: string | null;
  error_detail: string | null;
  /** The stages of its ledger, separated by commas. */
  stages: string | null;
}

/** Evidence that something was about to be typed, or was. */
const TYPED = /\b(typing|typed|submitted|turn_seen|turn_finished)\b/;

export function readRows(root: string): Row[] {
  const db = new Sqlite({ file: path.join(root, 'queue.sqlite'), readOnly: true });
  try {
    return db.all<Row>(
      `SELECT *, (SELECT group_concat(stage) FROM gateway_request_ledger AS entry
        WHERE entry.request_id = request.request_id) AS stages FROM gateway_requests AS request`,
    );
  } finally {
    db.close();
  }
}

/** What is false in the recorded end of a request, by its own evidence. */
export function falseEnd({ request_id, outcome, error_detail, stages }: Row): string | undefined {
  if (outcome === null || outcome === 'submitted') return undefined;
  const isTrue = outcome === 'unconfirmed' ? TYPED.test(stages ?? '') : !/\bsubmitted\b/.test(stages ?? '');
  if (isTrue && error_detail) return undefined;
  return `${request_id} says ${outcome} (${error_detail ?? 'no reason'}), and its ledger ${stages ?? 'nothing'}`;
}

export function promptOf({ payload_json }: Row): string {
  return evenly(String((JSON.parse(payload_json) as { prompt?: unknown }).prompt ?? ''));
}

export function kindOf(row: Row): string {
  if (row.source === 'notifier') return 'wake for mail';
  if (row.source !== 'fleet') return 'request';
  return promptOf(row).includes('item-') ? 'message' : 'notice or nudge';
}
