/**
 * Calls to gateways on other hosts: handed out once with a held heartbeat, answered once. A call that was handed out
 * and never answered has an unknown end. One that was never taken is deleted and had no effect.
 */
export const CALLS = `
CREATE TABLE gateway_calls (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL,
  workspace_id uuid NOT NULL REFERENCES workspaces ON DELETE CASCADE,
  caller text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  body jsonb,
  made_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  taken_by text,
  taken_at timestamptz,
  answered_at timestamptz,
  status integer,
  answer jsonb
);
CREATE INDEX gateway_calls_waiting ON gateway_calls (workspace_id, made_at) WHERE taken_at IS NULL;
CREATE INDEX gateway_calls_made ON gateway_calls (made_at);
`;
