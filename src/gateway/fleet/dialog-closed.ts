import type { Sqlite } from '../../db/index.ts';

/**
 * Whether an interrupt that was meant for this turn alone closed a dialog of it, after which nothing ran any more: a tool calls
 * such a turn finished, and nobody answered its question. `open`: the interrupt has not ended yet.
 */
export function closedItsDialog(db: Sqlite, requestId: string): boolean | 'open' {
  const row = db.get<{ state: string; result_json: string | null }>(
    `SELECT state, result_json FROM gateway_requests
      WHERE request_kind = 'interrupt' AND json_extract(payload_json, '$.turn_of') = ? ORDER BY sequence DESC LIMIT 1`,
    [requestId],
  );
  if (!row) return false;
  if (row.state === 'accepted' || row.state === 'running') return 'open';
  const { evidence = [] } = JSON.parse(row.result_json ?? '{}') as {
    evidence?: { source: string; facts: { into_dialog?: unknown; still_busy?: unknown } }[];
  };
  return evidence.some(({ source, facts }) => source === 'keys' && facts.into_dialog && !facts.still_busy);
}
