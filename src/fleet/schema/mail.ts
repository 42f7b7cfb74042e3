/**
 * Mail that the server keeps. A message is stored once and is the same for everyone who has it; its state in one mailbox
 * (box, flags) is a row of `mail_state`. `seq` is the order of lists; `version` grows with each change of a mailbox.
 * `words` is subject and body as search sees them, a line each. A message is identified by the id its sender chose, and by
 * the sender's own key. Bytes of attachments belong to their uploader, in pieces, and stay once a message carries them.
 * The mailbox of a removed agent is retired: its mail stays for the org's administrators, and its address is free for a new one.
 */
export const MAIL = `
ALTER TABLE orgs ADD COLUMN mail_domain text;

CREATE TABLE mailboxes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
  workspace_id uuid REFERENCES workspaces ON DELETE SET NULL,
  kind text NOT NULL CHECK (kind IN ('agent', 'operator')),
  address text NOT NULL,
  principal_id text NOT NULL,
  display_name text,
  role text,
  active boolean NOT NULL DEFAULT true,
  version bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz
);
CREATE UNIQUE INDEX mailboxes_address ON mailboxes (org_id, address) WHERE retired_at IS NULL;
CREATE UNIQUE INDEX mailboxes_workspace ON mailboxes (workspace_id) WHERE active AND workspace_id IS NOT NULL;

CREATE TABLE mail_messages (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  org_id uuid NOT NULL REFERENCES orgs ON DELETE CASCADE,
  message_id text NOT NULL,
  sender bigint NOT NULL,
  by_agent boolean NOT NULL,
  in_reply_to text,
  sent_at timestamptz NOT NULL,
  envelope jsonb NOT NULL,
  body text NOT NULL,
  body_preview text NOT NULL,
  words text NOT NULL,
  key_scope text,
  key text,
  content_sha256 text NOT NULL
);
CREATE UNIQUE INDEX mail_messages_id ON mail_messages (org_id, message_id);
CREATE UNIQUE INDEX mail_messages_key ON mail_messages (org_id, key_scope, key) WHERE key IS NOT NULL;

CREATE TABLE mail_state (
  mailbox_id bigint NOT NULL REFERENCES mailboxes ON DELETE CASCADE,
  seq bigint NOT NULL REFERENCES mail_messages ON DELETE CASCADE,
  box text NOT NULL,
  is_read boolean NOT NULL,
  is_answered boolean NOT NULL DEFAULT false,
  PRIMARY KEY (mailbox_id, seq)
);
CREATE INDEX mail_state_box ON mail_state (mailbox_id, box, seq DESC) INCLUDE (is_read);
CREATE INDEX mail_state_message ON mail_state (seq);

CREATE TABLE mail_parts (
  mailbox_id bigint NOT NULL,
  sha256 text NOT NULL,
  part integer NOT NULL,
  bytes bytea NOT NULL,
  put_at timestamptz NOT NULL DEFAULT now(),
  sent_at timestamptz,
  PRIMARY KEY (mailbox_id, sha256, part)
);
CREATE INDEX mail_parts_unsent ON mail_parts (put_at) WHERE sent_at IS NULL;
`;

/** Mail and tasks whose sender waits: few, however much there is. */
export const WAITS = `
CREATE INDEX mail_messages_waits ON mail_messages (org_id, seq)
  WHERE envelope->'headers'->>'x-rouse-expects-answer' IS NOT NULL;
CREATE INDEX a2a_queue_open_tasks ON a2a_queue (org_id, enqueued_at)
  WHERE context_id IS NOT NULL AND caller_id IS NOT NULL AND outcome IS NULL;
`;
