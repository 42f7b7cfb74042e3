/**
 * Messages on their way to an agent's gateway. `completed` means that the gateway has it in its own durable queue;
 * what became of it there is `outcome`, told later, and never guessed. The claim is a lease: `claimed_by` is the
 * session that holds it (and stays, as evidence), `attempts` the fence, which never goes down: a replay raises
 * `max_attempts` instead. `once`: the key stays taken after the message has ended. Who follows an A2A message (it has a
 * `context_id`) hears of each change on the channel `rouse_task`.
 */
export const DELIVERY = `
CREATE TABLE a2a_queue (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  caller_id uuid,
  caller_user text,
  kind text,
  context_id text,
  priority smallint NOT NULL DEFAULT 50 CHECK (priority BETWEEN 0 AND 100),
  body jsonb NOT NULL,
  method text,
  idempotency_key text,
  once boolean NOT NULL DEFAULT false,
  enqueued_at timestamptz NOT NULL DEFAULT now(),
  dispatched_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  max_attempts integer NOT NULL DEFAULT 5,
  status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'dispatched', 'completed', 'dropped', 'failed')),
  last_error text,
  response_body jsonb,
  next_attempt_at timestamptz,
  claimed_by text,
  lease_until timestamptz,
  gateway_request_id text,
  outcome text,
  outcome_at timestamptz,
  CHECK ((status IN ('completed', 'dropped', 'failed')) = (completed_at IS NOT NULL)),
  CHECK (status <> 'dispatched' OR (claimed_by IS NOT NULL AND lease_until IS NOT NULL))
);
CREATE INDEX a2a_queue_dispatch ON a2a_queue (workspace_id, priority DESC, enqueued_at, id) WHERE status = 'queued';
CREATE INDEX a2a_queue_leases ON a2a_queue (workspace_id, lease_until) WHERE status = 'dispatched';
CREATE INDEX a2a_queue_expiry ON a2a_queue (workspace_id, expires_at) WHERE status = 'queued' AND expires_at IS NOT NULL;
CREATE UNIQUE INDEX a2a_queue_active_key ON a2a_queue (workspace_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL AND status IN ('queued', 'dispatched');
CREATE UNIQUE INDEX a2a_queue_once_key ON a2a_queue (workspace_id, idempotency_key) WHERE once;
CREATE INDEX a2a_queue_ended ON a2a_queue (completed_at) WHERE status IN ('completed', 'dropped', 'failed');
CREATE INDEX a2a_queue_dead ON a2a_queue (org_id, completed_at, id) WHERE status IN ('dropped', 'failed');
CREATE INDEX a2a_queue_conversation ON a2a_queue (workspace_id, enqueued_at, id) WHERE context_id IS NOT NULL;

CREATE FUNCTION a2a_queue_tell() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('rouse_task', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER a2a_queue_told AFTER UPDATE OF status, outcome ON a2a_queue FOR EACH ROW
  WHEN (NEW.context_id IS NOT NULL AND (OLD.status <> NEW.status OR OLD.outcome IS DISTINCT FROM NEW.outcome))
  EXECUTE FUNCTION a2a_queue_tell();
`;
