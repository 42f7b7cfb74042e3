import * as path from 'node:path';
import type { Sqlite } from '../../db/index.ts';
import {
  ARCHIVE,
  asParticipant,
  bodyPreview,
  type DocumentAttachment,
  expectedAnswer,
  type MailAttachment,
  type MailDocument,
  type MailMessage,
  makeMailRef,
  SENT,
} from '../../domain/index.ts';
import { FILESYSTEM } from './binding.ts';
import type { Envelope } from './message-rows.ts';
import type { Layout } from './root/layout.ts';

export interface ViewRow {
  seq: number;
  box: string;
  is_read: number;
  is_answered: number;
  envelope_json: string;
  body_preview: string;
  body?: string;
}

export const VIEW_COLUMNS = 's.seq, s.box, s.is_read, s.is_answered, m.envelope_json, m.body_preview';

/** One message as one mailbox sees it. Reads no files. */
export function viewMessage(layout: Layout, row: ViewRow): MailMessage {
  return view(layout, JSON.parse(row.envelope_json) as Envelope, row);
}

/** A message that was just delivered, as the mailbox that has it in this box sees it. */
export function viewDelivered(layout: Layout, { body, ...envelope }: MailDocument, box: string): MailMessage {
  const read = box === SENT ? 1 : 0;
  return view(layout, envelope, {
    box,
    is_read: read,
    is_answered: 0,
    body_preview: bodyPreview(body),
    body,
  });
}

function view(layout: Layout, envelope: Envelope, row: Omit<ViewRow, 'seq' | 'envelope_json'>): MailMessage {
  const ref = (id: string): string => makeMailRef(FILESYSTEM, id);
  const archived = row.box === ARCHIVE;
  return {
    message_ref: ref(envelope.message_id),
    thread_ref: ref(envelope.thread_id),
    in_reply_to_ref: envelope.in_reply_to === null ? null : ref(envelope.in_reply_to),
    created_at_utc: envelope.created_at_utc,
    subject: envelope.subject,
    read: row.is_read === 1,
    answered: row.is_answered === 1,
    archived,
    unread: row.is_read === 0,
    box: row.box,
    body_preview: row.body_preview,
    ...(row.body === undefined ? {} : { body_text: row.body }),
    ...expectedAnswer(envelope.headers),
    sender: asParticipant(envelope.from),
    to: envelope.to.map(asParticipant),
    cc: envelope.cc.map(asParticipant),
    reply_to: envelope.reply_to.map(asParticipant),
    attachments: envelope.attachments.map((attachment) => viewAttachment(layout, attachment)),
  };
}

function viewAttachment(layout: Layout, attachment: DocumentAttachment): MailAttachment {
  const { attachment_id, kind, media_type, size_bytes, sha256, label } = attachment;
  return {
    attachment_id,
    kind,
    media_type,
    locator: path.resolve(layout.root, attachment.path),
    ...(size_bytes === undefined ? {} : { size_bytes }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(label === undefined ? {} : { label }),
  };
}

/** The message with its body, as this mailbox sees it. A mailbox that no longer has it sees it as sent. */
export function loadView(db: Sqlite, layout: Layout, at: { registration: number; seq: number }): MailMessage {
  const row = db.get<ViewRow>(
    `SELECT m.seq, coalesce(s.box, 'sent') AS box, coalesce(s.is_read, 1) AS is_read,
       coalesce(s.is_answered, 0) AS is_answered, m.envelope_json, m.body_preview, b.body
     FROM messages m JOIN message_bodies b ON b.seq = m.seq
     LEFT JOIN mail_state s ON s.seq = m.seq AND s.registration = ? WHERE m.seq = ?`,
    [at.registration, at.seq],
  );
  return viewMessage(layout, row!);
}
