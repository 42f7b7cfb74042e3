/**
 * Tickets between agents and people. `recipient_id` is what the wire shows; `recipient_workspace_id` is the same,
 * checked when it was written, and what everything joins on. What is open is read in the order of urgency, then age:
 * the indexes hold that order, so that a page costs the same however much was ever answered.
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
