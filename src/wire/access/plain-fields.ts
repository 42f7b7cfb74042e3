/**
 * Names of fields whose text names nothing outside of Rouse: ids, names, times, and text for people, agents or the database. A
 * text field of a route or a tool is one of these or has a mark (`names` in domain/fields.ts). Add a name only if nothing is
 * opened, run or called by it.
 */
export const PLAIN_FIELDS: ReadonlySet<string> = new Set([
  // Ids and references, which are checked or looked up.
  ...[
    'action_id',
    'after',
    'agent',
    'agent_id',
    'agent_ref',
    'attachment',
    'attachment_id',
    'before',
    'call_id',
  ],
  ...['code', 'contextId', 'cursor', 'date', 'dialog_hash', 'discard', 'expected_dialog', 'host_id', 'id'],
  ...['idempotency_key', 'instance_id', 'keep', 'mail_version', 'mailbox', 'mailbox_id', 'messageId'],
  ...['message_id', 'message_ref', 'message_refs', 'org', 'org_id', 'parent', 'principal_id', 'queue_id'],
  ...[
    'order',
    'recipient_id',
    'ref',
    'refs',
    'reminder_id',
    'removal',
    'request_id',
    'seen',
    'session_id',
    'sha256',
  ],
  ...['terminal_id', 'thread', 'thread_ref', 'to_agent', 'token_id', 'turn_id', 'turn_of', 'workspace_id'],
  // Keys of a browser, which encrypt what is sent to it.
  ...['auth', 'p256dh'],
  // Names and addresses of mail.
  ...[
    'address',
    'agent_name',
    'cc',
    'display_name',
    'host',
    'label',
    'media_type',
    'name',
    'role',
    'role_name',
  ],
  ...['session_name', 'tmux_session_name', 'tmux_window_name', 'to'],
  // Boxes, states, times, versions, search text; `ask`: routes of the page, with a grammar of their own.
  ...[
    'ask',
    'at',
    'box',
    'cron',
    'deliver_at_utc',
    'destination_box',
    'evidence',
    'answer_by',
    'expires_at',
    'from',
    'kinds',
    'q',
  ],
  ...[
    'observed_tool_version',
    'result',
    'since',
    'state',
    'status',
    'time_zone',
    'until_utc',
    'version',
    'wait',
  ],
  'watch',
  // Text for people and agents; keys and prompts have capabilities of their own.
  ...['answer', 'body', 'body_content', 'content_base64', 'current_task', 'detail', 'key', 'message', 'note'],
  ...['prompt', 'reason', 'role_prompt', 'sample_error', 'sequence', 'subject', 'text', 'title'],
  // Accepted because protocols have them, and ignored.
  ...['configuration', 'metadata'],
]);
