/**
 * Messages on their way to an agent's gateway. `completed` means that the gateway has it in its own durable queue; how
 * it ended there is `outcome`, reported later and never guessed. The claim is a lease: `claimed_by` is the session that
 * holds it (and stays, as evidence), `attempts` the fence, which never goes down: a replay raises `max_attempts`
 * instead. `once`: the key stays taken after the message has ended. Followers of an A2A message (it has a `context_id`)
 * are notified of each change on the channel `rouse_task`.
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

/**
 * How a message's turn ended after it was submitted, as the gateway reported it. A message submitted before such
 * reports existed counts as ended, although nothing proves it.
 */
export const TURNS = `
ALTER TABLE a2a_queue ADD COLUMN turn_state text
    CHECK (turn_state IN ('working', 'input_required', 'finished', 'unproven', 'lost')),
  ADD COLUMN turn_at timestamptz, ADD COLUMN turn jsonb;
UPDATE a2a_queue SET turn_state = 'unproven' WHERE outcome IN ('submitted', 'coalesced');
CREATE INDEX a2a_queue_turns ON a2a_queue (workspace_id) WHERE turn_state IN ('working', 'input_required');
DROP TRIGGER a2a_queue_told ON a2a_queue;
CREATE TRIGGER a2a_queue_told AFTER UPDATE OF status, outcome, turn_state ON a2a_queue FOR EACH ROW
  WHEN (NEW.context_id IS NOT NULL AND (OLD.status <> NEW.status OR OLD.outcome IS DISTINCT FROM NEW.outcome
    OR OLD.turn_state IS DISTINCT FROM NEW.turn_state))
  EXECUTE FUNCTION a2a_queue_tell();
`;

/**
 * Hands out in one statement what is due to an agent: as much as it has room for, leased to its session. The workspace
 * is locked first, and each later read sees what was committed before the lock was taken. One row says `slow` if this
 * function cannot decide everything: the session or its token is not valid, a lease ran out, something expired, or a
 * message has a kind that is checked before it goes out. Then nothing is written.
 */
export const HAND_OUT = `
CREATE FUNCTION a2a_hand_out(p_workspace uuid, p_session text, p_token uuid, p_seconds float8, p_most integer,
    p_guarded text[])
  RETURNS TABLE (slow boolean, id uuid, attempt integer, method text, body jsonb, priority smallint,
    enqueued_at timestamptz, expires_at timestamptz, idempotency_key text, kind text)
  LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_room integer;
  v_due uuid[];
  v_slow boolean;
BEGIN
  SELECT w.max_concurrent_tasks - w.active_tasks INTO v_room FROM workspaces w
    WHERE w.id = p_workspace AND w.session_id = p_session AND w.accepting AND w.status IN ('online', 'degraded')
      AND EXISTS (SELECT FROM tokens t WHERE t.id = p_token AND t.revoked_at IS NULL
        AND (t.expires_at IS NULL OR t.expires_at > now())) FOR UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT true, NULL::uuid, NULL::integer, NULL, NULL::jsonb, NULL::smallint, NULL::timestamptz,
      NULL::timestamptz, NULL, NULL;
    RETURN;
  END IF;
  SELECT v_room - count(*) FILTER (WHERE q.lease_until > now()), coalesce(bool_or(q.lease_until <= now()), false)
    INTO v_room, v_slow FROM a2a_queue q WHERE q.workspace_id = p_workspace AND q.status = 'dispatched';
  IF v_room <= 0 THEN
    RETURN;
  END IF;
  SELECT array_agg(d.id), v_slow OR coalesce(bool_or(d.kind = ANY(p_guarded) OR d.expires_at <= now()), false)
    INTO v_due, v_slow FROM (
      SELECT q.id, q.kind, q.expires_at FROM a2a_queue q WHERE q.workspace_id = p_workspace AND q.status = 'queued'
          AND (q.next_attempt_at IS NULL OR q.next_attempt_at <= now())
        ORDER BY q.priority DESC, q.enqueued_at, q.id LIMIT least(v_room, p_most) FOR UPDATE SKIP LOCKED) d;
  IF v_slow THEN
    RETURN QUERY SELECT true, NULL::uuid, NULL::integer, NULL, NULL::jsonb, NULL::smallint, NULL::timestamptz,
      NULL::timestamptz, NULL, NULL;
    RETURN;
  END IF;
  RETURN QUERY UPDATE a2a_queue q SET status = 'dispatched', dispatched_at = now(), attempts = q.attempts + 1,
      claimed_by = p_session, lease_until = now() + make_interval(secs => p_seconds), next_attempt_at = NULL
    WHERE q.id = ANY(v_due)
    RETURNING false, q.id, q.attempts, q.method, q.body, q.priority, q.enqueued_at, q.expires_at, q.idempotency_key,
      q.kind;
END $$;
`;
