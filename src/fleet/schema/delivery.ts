/**
 * Messages on their way to an agent's gateway. `completed` means that the gateway has it in its own durable queue;
 * what became of it there is `outcome`, told later, and never guessed. The claim is a lease: `claimed_by` is the
 * session that holds it, `attempts` the fence.
 */
export const DELIVERY = `
CREATE TABLE a2a_queue (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  caller_id uuid,
  caller_user text,
  priority smallint NOT NULL DEFAULT 50 CHECK (priority BETWEEN 0 AND 100),
  body jsonb NOT NULL,
  method text,
  idempotency_key text,
  enqueued_at timestamptz NOT NULL DEFAULT now(),
  dispatched_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'dispatched', 'completed', 'dropped', 'failed')),
  last_error text,
  response_body jsonb,
  next_attempt_at timestamptz,
  settling_since timestamptz,
  claimed_by text,
  lease_until timestamptz,
  gateway_request_id text,
  outcome text,
  outcome_at timestamptz
);
CREATE INDEX a2a_queue_dispatch ON a2a_queue (workspace_id, priority DESC, enqueued_at, id) WHERE status = 'queued';
CREATE INDEX a2a_queue_leases ON a2a_queue (lease_until) WHERE status = 'dispatched';
CREATE INDEX a2a_queue_expiry ON a2a_queue (expires_at) WHERE status = 'queued' AND expires_at IS NOT NULL;
CREATE UNIQUE INDEX a2a_queue_active_key ON a2a_queue (workspace_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL AND status IN ('queued', 'dispatched');
CREATE INDEX a2a_queue_ended ON a2a_queue (completed_at) WHERE status IN ('completed', 'dropped', 'failed');
`;
