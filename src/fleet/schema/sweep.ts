/** Which server sweeps, until when, and what the last sweep found. One row per sweeper. */
export const SWEEP = `
CREATE TABLE sweepers (
  name text PRIMARY KEY,
  holder text,
  lease_until timestamptz,
  last_started_at timestamptz,
  last_finished_at timestamptz,
  last_result jsonb,
  last_error text,
  runs bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0
);
`;
