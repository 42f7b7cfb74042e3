/**
 * Tickets between agents and people. `recipient_id` is what the wire shows; `recipient_workspace_id` is the same,
 * checked when it was written, and is what everything joins on. Open tickets are read by urgency, then age: the indexes
 * hold that order, so a page costs the same however many were ever answered.
 */
export const REQUESTS = `
CREATE TABLE requests (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('task', 'approval')),
  requester_type text NOT NULL CHECK (requester_type IN ('user', 'agent')),
  requester_id text NOT NULL,
  recipient_type text NOT NULL CHECK (recipient_type IN ('user', 'agent')),
  recipient_id text NOT NULL DEFAULT '',
  recipient_workspace_id uuid REFERENCES workspaces ON DELETE SET NULL,
  title text NOT NULL,
  detail text,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'info_requested', 'done', 'rejected', 'approved',
    'cancelled')),
  turn text NOT NULL DEFAULT 'recipient' CHECK (turn IN ('recipient', 'requester')),
  responder_type text,
  responder_id text,
  priority smallint CHECK (priority BETWEEN 0 AND 100),
  idempotency_key text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  responded_at timestamptz,
  last_nudged_at timestamptz,
  nudge_count integer NOT NULL DEFAULT 0,
  escalated_at timestamptz
);
CREATE UNIQUE INDEX requests_key ON requests (org_id, requester_type, requester_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX requests_inbox ON requests (org_id, recipient_type, recipient_id, (-coalesce(priority, 0)), created_at, id)
  WHERE status IN ('pending', 'info_requested');
CREATE INDEX requests_inbox_all ON requests (org_id, recipient_type, recipient_id, (-coalesce(priority, 0)), created_at,
  id);
CREATE INDEX requests_outgoing ON requests (org_id, requester_type, requester_id, created_at, id);
CREATE INDEX requests_org ON requests (org_id, (-coalesce(priority, 0)), created_at, id)
  WHERE status IN ('pending', 'info_requested');

CREATE TABLE request_messages (
  id uuid PRIMARY KEY,
  request_id uuid NOT NULL REFERENCES requests ON DELETE CASCADE,
  author_type text NOT NULL,
  author_id text NOT NULL,
  body text NOT NULL,
  closing boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX request_messages_thread ON request_messages (request_id, created_at, id);

CREATE TABLE request_events (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  request_id uuid NOT NULL REFERENCES requests ON DELETE CASCADE,
  org_id uuid NOT NULL,
  type text NOT NULL,
  actor_type text NOT NULL,
  actor_id text NOT NULL,
  from_status text,
  to_status text,
  data jsonb,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX request_events_request ON request_events (request_id, id);
CREATE INDEX request_events_org ON request_events (org_id, id);

CREATE FUNCTION request_events_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'request_events are never changed';
END
$$;
CREATE TRIGGER request_events_stay BEFORE UPDATE ON request_events EXECUTE FUNCTION request_events_stay();
`;

/**
 * The parts of `requests` that nudges need, in a separate step that may run before or after the table is made, and any
 * number of times. The indexes hold only open tickets to agents: finished ones, however many, cost a sweep nothing.
 */
export const REQUESTS_LAST_NUDGED = `
ALTER TABLE IF EXISTS requests ADD COLUMN IF NOT EXISTS last_nudged_at timestamptz;
DO $$
BEGIN
  IF to_regclass('requests') IS NOT NULL THEN
    CREATE INDEX IF NOT EXISTS requests_nudge_due ON requests (last_nudged_at NULLS FIRST, created_at)
      INCLUDE (recipient_workspace_id)
      WHERE recipient_type = 'agent' AND status IN ('pending', 'info_requested') AND recipient_workspace_id IS NOT NULL;
    CREATE INDEX IF NOT EXISTS requests_nudge_agent
      ON requests (recipient_workspace_id, last_nudged_at NULLS FIRST, created_at)
      WHERE recipient_type = 'agent' AND status IN ('pending', 'info_requested');
  END IF;
END
$$;
`;

/** Undoes it; harmless if there is nothing to undo. */
export const REQUESTS_LAST_NUDGED_DOWN = `
DROP INDEX IF EXISTS requests_nudge_agent;
DROP INDEX IF EXISTS requests_nudge_due;
ALTER TABLE IF EXISTS requests DROP COLUMN IF EXISTS last_nudged_at;
`;

/**
 * Why a ticket was closed without an answer; and the recipient's workspace, filled in also for writers that set only
 * its id, in upper or lower case.
 */
export const REQUEST_RECIPIENTS = `
ALTER TABLE requests ADD COLUMN close_reason text;
CREATE FUNCTION requests_recipient() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.recipient_type = 'agent' AND NEW.recipient_workspace_id IS NULL
    AND NEW.recipient_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN
    NEW.recipient_id := lower(NEW.recipient_id);
    NEW.recipient_workspace_id := (SELECT w.id FROM workspaces w
      WHERE w.id = NEW.recipient_id::uuid AND w.org_id = NEW.org_id);
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER requests_recipient BEFORE INSERT OR UPDATE OF recipient_id ON requests FOR EACH ROW
  EXECUTE FUNCTION requests_recipient();
UPDATE requests SET recipient_id = recipient_id
  WHERE recipient_type = 'agent' AND recipient_workspace_id IS NULL AND status IN ('pending', 'info_requested');
`;

/**
 * Indexes for lists that must not read ended rows to find open ones, nor sort everything for one page: open tickets by
 * requester, all tickets of an org, dead letters of all orgs, and ended tickets by age, for retention.
 */
export const LISTS = `
CREATE INDEX requests_outgoing_open ON requests (org_id, requester_type, requester_id, created_at, id)
  WHERE status IN ('pending', 'info_requested');
CREATE INDEX requests_org_all ON requests (org_id, (-coalesce(priority, 0)), created_at, id);
CREATE INDEX requests_ended ON requests (updated_at) WHERE status IN ('done', 'rejected', 'approved', 'cancelled');
CREATE INDEX a2a_queue_dead_everywhere ON a2a_queue (completed_at, id) WHERE status IN ('dropped', 'failed');
`;
