import type { Sqlite } from '../../db/index.ts';
import {
  bodyPreview,
  contentDigest,
  IDEMPOTENCY_HEADER,
  idempotencyScope,
  isAgent,
  type MailDocument,
} from '../../domain/index.ts';
import type { MailStep } from '../port.ts';

/** A message without its body, as JSON. */
export type Envelope = Omit<MailDocument, 'body'>;

export interface StateRow {
  seq: number;
  registration: number;
  box: string;
  is_read: number;
  is_answered: number;
  is_starred: number;
  is_deleted: number;
}

/** Stores a message and returns its place in the order of commits. */
export function insertMessage(db: Sqlite, message: MailDocument): number {
  const { body, ...envelope } = message;
  const key = message.headers[IDEMPOTENCY_HEADER];
  const keyed = typeof key === 'string';
  const { lastInsertRowid } = db.run(
    `INSERT INTO messages (message_id, created_at_utc, subject, envelope_json, body_preview,
       idempotency_scope, idempotency_key, content_sha256) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      message.message_id,
      message.created_at_utc,
      message.subject,
      JSON.stringify(envelope),
      bodyPreview(body),
      keyed ? idempotencyScope(message) : null,
      keyed ? key : null,
      keyed ? contentDigest(message) : null,
    ],
  );
  const seq = Number(lastInsertRowid);
  db.run('INSERT INTO message_bodies (seq, body) VALUES (?, ?)', [seq, body]);
  for (const { kind, attachment_id, path } of message.attachments) {
    if (kind !== 'managed_copy') continue;
    db.run('INSERT OR IGNORE INTO managed_attachments (attachment_id, seq, path) VALUES (?, ?, ?)', [
      attachment_id,
      seq,
      path,
    ]);
  }
  return seq;
}

export function insertState(db: Sqlite, state: StateRow): void {
  db.run(
    `INSERT OR IGNORE INTO mail_state (seq, registration, box, is_read, is_answered, is_starred, is_deleted)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [
      state.seq,
      state.registration,
      state.box,
      state.is_read,
      state.is_answered,
      state.is_starred,
      state.is_deleted,
    ],
  );
}

export function newState(seq: number, registration: number, box: string, isRead: boolean): StateRow {
  return {
    seq,
    registration,
    box,
    is_read: isRead ? 1 : 0,
    is_answered: 0,
    is_starred: 0,
    is_deleted: 0,
  };
}

export function statesOf(db: Sqlite, seq: number): StateRow[] {
  return db.all<StateRow>('SELECT * FROM mail_state WHERE seq = ?', [seq]);
}

/** Returns the message with this number, or undefined. */
export function loadDocument(db: Sqlite, seq: number): MailDocument | undefined {
  const row = db.get<{ envelope_json: string; body: string }>(
    'SELECT m.envelope_json, b.body FROM messages m JOIN message_bodies b ON b.seq = m.seq WHERE m.seq = ?',
    [seq],
  );
  return row && { ...(JSON.parse(row.envelope_json) as Envelope), body: row.body };
}

export function documentOf(db: Sqlite, messageId: string): MailDocument | undefined {
  const row = db.get<{ seq: number }>('SELECT seq FROM messages WHERE message_id = ?', [messageId]);
  return row && loadDocument(db, row.seq);
}

/** Follows replies back to their start, across all mailboxes. A message that cannot be read ends the trail. */
export function trailOf(db: Sqlite, messageId: string, max: number): MailStep[] {
  const steps: MailStep[] = [];
  let next: string | null = messageId;
  while (next !== null && steps.length < max) {
    const envelope = envelopeOf(db, next);
    if (!envelope) break;
    const { from, in_reply_to, created_at_utc } = envelope;
    if (!isAgent(from)) return [...steps, { created_at_utc, by: 'person' }];
    if (in_reply_to !== null) steps.push({ created_at_utc, by: 'agent' });
    next = in_reply_to;
  }
  return steps;
}

function envelopeOf(db: Sqlite, messageId: string): Envelope | undefined {
  const row = db.get<{ envelope_json: string }>('SELECT envelope_json FROM messages WHERE message_id = ?', [
    messageId,
  ]);
  try {
    return row && (JSON.parse(row.envelope_json) as Envelope);
  } catch {
    return undefined;
  }
}
