/**
 * Tenants, and the tokens that admit to them. A token is kept as a hash; its prefix helps people to distinguish tokens.
 */
export const IDENTITY = `
CREATE TABLE orgs (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE workspaces (
  id uuid PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
  parent_id uuid REFERENCES workspaces ON DELETE SET NULL,
  agent_id text NOT NULL,
  name text NOT NULL,
  tool text,
  status text NOT NULL DEFAULT 'provisioning' CHECK (status IN ('provisioning', 'online', 'offline', 'degraded', 'failed',
    'removed', 'paused', 'hibernating', 'hibernated', 'awaiting_agent')),
  status_changed_at timestamptz NOT NULL DEFAULT now(),
  agent_card jsonb,
  session_id text,
  instance_id text,
  beat bigint NOT NULL DEFAULT 0,
  accepting boolean NOT NULL DEFAULT true,
  gateway jsonb,
  last_heartbeat_at timestamptz,
  active_tasks integer NOT NULL DEFAULT 0,
  max_concurrent_tasks integer NOT NULL DEFAULT 1,
  current_task text,
  error_rate real NOT NULL DEFAULT 0,
  sample_error text,
  uptime_seconds bigint,
  last_inbox_nudge_at timestamptz,
  registered_at timestamptz NOT NULL DEFAULT now(),
  removed_at timestamptz
);
CREATE UNIQUE INDEX workspaces_agent ON workspaces (org_id, agent_id) WHERE status <> 'removed';
CREATE INDEX workspaces_name ON workspaces (org_id, name) WHERE status <> 'removed';
CREATE INDEX workspaces_idle ON workspaces (id) WHERE status = 'online' AND active_tasks = 0;
CREATE INDEX workspaces_alive ON workspaces (last_heartbeat_at) WHERE status IN ('online', 'degraded');

CREATE TABLE tokens (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('agent', 'user', 'admin')),
  org_id uuid REFERENCES orgs ON DELETE CASCADE,
  workspace_id uuid REFERENCES workspaces ON DELETE CASCADE,
  subject text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  prefix text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  CHECK ((kind = 'agent') = (workspace_id IS NOT NULL)),
  CHECK (kind = 'admin' OR org_id IS NOT NULL)
);
CREATE INDEX tokens_workspace ON tokens (workspace_id) WHERE revoked_at IS NULL;
`;

/**
 * Where an agent's session runs and who registered it, so that no one replaces it by accident; what a token may do
 * beyond its kind; and why a token ended, so that the session that had it can say so.
 */
export const HOSTS_AND_GRANTS = `
ALTER TABLE workspaces ADD COLUMN host text, ADD COLUMN owner text, ADD COLUMN left_at timestamptz;
ALTER TABLE tokens ADD COLUMN grants text[] NOT NULL DEFAULT '{}',
  ADD COLUMN replaced boolean NOT NULL DEFAULT false;
`;

/** Until when a person has paused the agent on its host, as its gateway reports it; `infinity`: until it is resumed. */
export const PAUSES = `
ALTER TABLE workspaces ADD COLUMN paused_until timestamptz;
`;

/**
 * Which host an agent's session runs on, even after the host was renamed; which version of the program watches it; and
 * the agent's state as its gateway reports it, with the database time of its last change.
 */
export const HOST_IDENTITY = `
ALTER TABLE workspaces ADD COLUMN host_id text, ADD COLUMN version text, ADD COLUMN standing text,
  ADD COLUMN standing_changed_at timestamptz;
`;
