import type { Log } from '../base/index.ts';
import type { EventLog } from './files/index.ts';
import type { LedgerEntry, RequestQueue } from './queue/index.ts';

/** Writes what happened to requests into events.jsonl and the running log. The ledger is the truth; these are for readers. */
export function recordQueueEvents(queue: RequestQueue, events: EventLog, log: Log): () => void {
  return queue.entries.on((entry) => {
    if (entry.stage === 'accepted') accepted(entry);
    if (entry.stage === 'finished') finished(entry);
    if (entry.stage === 'running') log.info('executing gateway request', { request_id: entry.request_id });
  });

  function accepted(entry: LedgerEntry): void {
    const { request_id, request_kind, accepted_at_utc, source } = queue.get(entry.request_id);
    const kind = source === 'http' || source === 'direct' ? 'accepted' : 'accepted_internal';
    events.write(kind, { request_id, request_kind, accepted_at_utc });
    log.info('accepted gateway request', { request_id, request_kind, source });
  }

  function finished(entry: LedgerEntry): void {
    const { request_id, state, outcome, error_detail, result_json } = queue.get(entry.request_id);
    if (state === 'coalesced') events.write(state, { request_id, outcome });
    else if (state === 'completed' || state === 'failed')
      events.write(state, { request_id, outcome, error_detail, result_json });
    const facts = { request_id, outcome, ...(error_detail && { detail: error_detail }) };
    if (state === 'failed') log.warn('failed gateway request', facts);
    else log.info(`${state} gateway request`, facts);
  }
}
