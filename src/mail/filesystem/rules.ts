/** What a root says about itself to the people and agents who find it. */
export const RULES: Readonly<Record<string, string>> = {
  'README.md': `# Mailbox root

Mail between agents and people on this machine. Use the \`rouse mail\` and \`rouse mailbox\` commands, or the
gateway's \`/v1/mail\` routes.

- \`messages/<date>/<message id>.md\` is one message: YAML front matter and a Markdown body. Never edit one.
- \`mailboxes/<address>/<box>/\` shows, as links, what is in each box. Moving or deleting a link changes nothing
  but the view; use \`move\`, \`archive\` or \`mark\` of \`rouse mail\`.
- \`index.sqlite\` is the truth: boxes, flags, registrations and the text of every message.
- If the index is lost or damaged: \`rouse mailbox repair\`. It rebuilds the index from the message files and
  \`state.journal\`.
- Other programs may read the files; only Rouse writes here.
`,
  'protocols/filesystem-mailbox-v1.md': `# Filesystem mailbox, protocol 1

A message file starts with \`---\`, then YAML, then \`---\`, then an empty line and the body.

| Field | Meaning |
|---|---|
| protocol_version | 1 |
| message_id | msg-<UTC stamp>-<32 hex digits>; the name of the file |
| thread_id | id of the message that began the thread |
| in_reply_to, references | the message this one answers, and the way to it from the start of the thread |
| created_at_utc | UTC, whole seconds; its date is the name of the directory |
| from, to, cc, reply_to | principal_id and address, optionally display_name, manifest_path_hint, role |
| subject | one line |
| attachments | attachment_id, kind (path_ref or managed_copy), path, media_type, sha256, size_bytes, label |
| headers | anything else, by name |
`,
};
