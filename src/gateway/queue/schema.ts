import type { SqliteMigration } from '../../db/index.ts';

/**
 * queue.sqlite. Column names of `gateway_requests` are the contract's; the others are additions. Live rows are found
 * through partial indexes, so that a million finished rows cost nothing.
 *
 * Requests and ledger entries share one sequence of numbers: the row of a request is also its first entry,
 * `accepted`. So an accept writes one row, and the whole ledger, which is the view `gateway_request_stages`, has one order.
 */
export const QUEUE_MIGRATIONS: SqliteMigration[] = [
  {
    id: 'queue-1',
    sql: `
      CREATE TABLE gateway_requests (
        sequence INTEGER PRIMARY KEY,
        request_id TEXT NOT NULL UNIQUE,
        request_kind TEXT NOT NULL,
        payload_json TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('accepted','running','completed','failed','coalesced')),
        accepted_at_utc TEXT NOT NULL,
        started_at_utc TEXT,
        finished_at_utc TEXT,
        managed_agent_instance_epoch INTEGER NOT NULL,
        error_detail TEXT,
        result_json TEXT,
        source TEXT NOT NULL,
        priority INTEGER NOT NULL,
        outcome TEXT,
        waiting_reason TEXT,
        returns INTEGER NOT NULL DEFAULT 0,
        idempotency_key TEXT,
        content_digest TEXT,
        expires_at_utc TEXT
      );
      CREATE INDEX gateway_requests_line ON gateway_requests (priority DESC, sequence) WHERE state = 'accepted';
      CREATE INDEX gateway_requests_interrupts ON gateway_requests (sequence)
        WHERE state = 'accepted' AND request_kind = 'interrupt';
      CREATE INDEX gateway_requests_running ON gateway_requests (sequence) WHERE state = 'running';
      CREATE UNIQUE INDEX gateway_requests_key ON gateway_requests (idempotency_key) WHERE idempotency_key IS NOT NULL;
      CREATE INDEX gateway_requests_expiry ON gateway_requests (expires_at_utc)
        WHERE state = 'accepted' AND expires_at_utc IS NOT NULL;
      CREATE TABLE gateway_request_ledger (
        entry_id INTEGER PRIMARY KEY,
        request_id TEXT NOT NULL REFERENCES gateway_requests (request_id) ON DELETE CASCADE,
        stage TEXT NOT NULL,
        source TEXT NOT NULL,
        at_utc TEXT NOT NULL,
        facts_json TEXT NOT NULL
      );
      CREATE INDEX gateway_request_ledger_of ON gateway_request_ledger (request_id);
      CREATE VIEW gateway_request_stages AS
        SELECT sequence AS entry_id, request_id, 'accepted' AS stage, source, accepted_at_utc AS at_utc,
          '{"priority":' || priority || '}' AS facts_json FROM gateway_requests
        UNION ALL
        SELECT entry_id, request_id, stage, source, at_utc, facts_json FROM gateway_request_ledger;
      CREATE TABLE gateway_instance (
        singleton INTEGER PRIMARY KEY CHECK (singleton = 1),
        epoch INTEGER NOT NULL,
        instance_id TEXT,
        reconciled_epoch INTEGER NOT NULL
      );
    `,
  },
];
