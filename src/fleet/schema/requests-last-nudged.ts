/**
 * What nudges need of `requests`, in a step of its own that may run before or after the table is made, and any number of
 * times. The indexes hold open tickets to agents only: finished ones, however many, cost a sweep nothing.
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

/** Undoes it; harmless when there is nothing to undo. */
export const REQUESTS_LAST_NUDGED_DOWN = `
DROP INDEX IF EXISTS requests_nudge_agent;
DROP INDEX IF EXISTS requests_nudge_due;
ALTER TABLE IF EXISTS requests DROP COLUMN IF EXISTS last_nudged_at;
`;
