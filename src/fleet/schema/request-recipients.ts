/**
 * Why a ticket was closed where nobody answered it; and the recipient's workspace, filled in also for those who write
 * only its id, in whatever case.
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
