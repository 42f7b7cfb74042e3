/**
 * Of which host an agent's session is, also after the host was given another name; which version of the program watches it;
 * and how it stands with the agent as its gateway says, with the time by the database's clock when that changed.
 */
export const HOST_IDENTITY = `
ALTER TABLE workspaces ADD COLUMN host_id text, ADD COLUMN version text, ADD COLUMN standing text,
  ADD COLUMN standing_changed_at timestamptz;
`;
