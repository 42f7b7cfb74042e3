/**
 * The mailbox of a removed agent is retired: its mail stays for the org's administrators, and its address is free for a new
 * mailbox, which starts empty.
 */
export const RETIRED_MAILBOXES = `
ALTER TABLE mailboxes ADD COLUMN retired_at timestamptz;
UPDATE mailboxes m SET active = false, retired_at = now() WHERE m.kind = 'agent'
  AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = m.workspace_id AND w.status <> 'removed');
DROP INDEX mailboxes_address;
CREATE UNIQUE INDEX mailboxes_address ON mailboxes (org_id, address) WHERE retired_at IS NULL;
`;
