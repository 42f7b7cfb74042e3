import { commandLine, preview } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import {
  type AgentNeed,
  ASKING_OUTCOMES,
  REQUEST_OUTCOMES,
  requestTitle,
  sqlList,
} from '../../../domain/index.ts';
import type { RequestRow } from '../request.ts';

/** Cheap at any size: only the newest requests are looked at, and few of them are reported. */
const NEWEST_REQUESTS = 200;
const MAX_REPORTED = 3;

type Row = Pick<
  RequestRow,
  'request_id' | 'request_kind' | 'payload_json' | 'outcome' | 'error_detail' | 'finished_at_utc'
>;

/** Deliveries that failed since then, or whose success is unknown; newest first. */
export function readUndelivered(db: Sqlite, agentName: string, since: Date): AgentNeed[] {
  return db
    .all<Row>(
      `SELECT request_id, request_kind, payload_json, outcome, error_detail, finished_at_utc
         FROM (SELECT * FROM gateway_requests ORDER BY sequence DESC LIMIT ?)
        WHERE outcome IN ${sqlList(ASKING_OUTCOMES)} AND finished_at_utc > ? ORDER BY sequence DESC LIMIT ?`,
      [NEWEST_REQUESTS, since.toISOString(), MAX_REPORTED],
    )
    .flatMap(({ outcome, request_id, error_detail, finished_at_utc, ...request }) => {
      const kind = outcome && REQUEST_OUTCOMES[outcome].need;
      if (kind === null) return [];
      const need = {
        kind,
        words: preview(requestTitle(request), 60),
        needs_you: null,
        command: commandLine`rouse why ${agentName} --request ${request_id}`,
        since_utc: finished_at_utc,
        request: { request_id, detail: preview(error_detail ?? 'it failed', 160) },
      };
      return [need];
    });
}
