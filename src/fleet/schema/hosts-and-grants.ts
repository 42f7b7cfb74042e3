/**
 * Where an agent's session runs and who registered it, so that nobody throws it out by accident; what a token may do
 * beyond its kind; and why one ended, so that the session that had it can say so.
 */
export const HOSTS_AND_GRANTS = `
ALTER TABLE workspaces ADD COLUMN host text, ADD COLUMN owner text, ADD COLUMN left_at timestamptz;
ALTER TABLE tokens ADD COLUMN grants text[] NOT NULL DEFAULT '{}',
  ADD COLUMN replaced boolean NOT NULL DEFAULT false;
`;
