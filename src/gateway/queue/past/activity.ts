import type { Sqlite } from '../../../db/index.ts';
import type { RequestStage } from '../../../domain/index.ts';
import type { RequestRow } from '../request.ts';

/** What was last done with an agent, according to its ledger. */
export interface GatewayActivity {
  /** When its tool took a wake for mail; newest last. */
  wakes: string[];
  /** When a turn of it was seen to begin. */
  turns: string[];
  lastTurnEndedAtUtc: string | null;
  /** Its last prompt, while the end of its turn was not seen. */
  doing: Pick<RequestRow, 'request_id' | 'request_kind' | 'payload_json' | 'source'> | null;
}

/** Cheap at any size: only the newest entries and requests are looked at. */
const NEWEST_ENTRIES = 600;

interface Step {
  request_id: string;
  request_kind: RequestRow['request_kind'];
  stage: RequestStage;
  at_utc: string;
}

export function readActivity(db: Sqlite): GatewayActivity {
  const steps = db
    .all<Step>(
      `SELECT l.request_id, r.request_kind, l.stage, l.at_utc
         FROM (SELECT * FROM gateway_request_ledger ORDER BY entry_id DESC LIMIT ?) l
         JOIN gateway_requests r ON r.request_id = l.request_id ORDER BY l.entry_id`,
      [NEWEST_ENTRIES],
    )
    .filter(({ stage }) => stage === 'submitted' || stage === 'turn_seen' || stage === 'turn_finished');
  const times = (matches: (step: Step) => boolean): string[] =>
    steps.filter(matches).map(({ at_utc }) => at_utc);
  const ended = steps.findLast(({ stage }) => stage === 'turn_finished');
  const last = steps.at(-1);
  return {
    wakes: times(
      ({ stage, request_kind }) => stage === 'submitted' && request_kind === 'mail_notifier_prompt',
    ),
    turns: times(({ stage }) => stage === 'turn_seen'),
    lastTurnEndedAtUtc: ended?.at_utc ?? null,
    doing:
      last && last.stage !== 'turn_finished'
        ? (db.get(
            'SELECT request_id, request_kind, payload_json, source FROM gateway_requests WHERE request_id = ?',
            [last.request_id],
          ) ?? null)
        : null,
  };
}
