/**
 * What became of a message's turn after it was submitted, as the gateway told it. A message that was submitted before
 * there were such reports is taken for ended, which nothing proves.
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
