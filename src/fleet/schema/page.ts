/**
 * What people did on the page, and what they have looked at. An action is one row, found by the id its browser chose,
 * so that the same click is done once; logins and the like have no id.
 */
export const PAGE = `
CREATE TABLE page_audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  name text NOT NULL,
  role text NOT NULL,
  session_id text,
  action text NOT NULL,
  target text,
  action_id uuid UNIQUE,
  digest text,
  outcome text,
  detail jsonb NOT NULL DEFAULT '{}',
  answer jsonb
);
CREATE TABLE page_seen (
  agent_id text PRIMARY KEY,
  at timestamptz NOT NULL
);
`;

/** Agents whose needs a person hides while they are in this state. */
export const PAGE_MUTES = `
CREATE TABLE page_mutes (
  person text NOT NULL,
  agent_id text NOT NULL,
  state text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (person, agent_id)
);
`;

/** When each person was last on the page. */
export const PAGE_VISITS = `
CREATE TABLE page_visits (
  name text PRIMARY KEY,
  at timestamptz NOT NULL
);
`;
