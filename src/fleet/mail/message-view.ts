import {
  ARCHIVE,
  asParticipant,
  type DocumentAttachment,
  expectedAnswer,
  type MailAttachment,
  type MailDocument,
  type MailMessage,
  makeMailRef,
} from '../../domain/index.ts';

/** Before the colon of every ref. */
export const FLEET = 'fleet';

export type Envelope = Omit<MailDocument, 'body'>;

export interface ViewRow {
  seq: number;
  box: string;
  is_read: boolean;
  is_answered: boolean;
  envelope: Envelope;
  body_preview: string;
  /** Null: the page had no room for it. */
  body?: string | null;
}

/**
 * The embedded database's driver drops a byte order mark at the start of a value, so the value starts with something
 * else.
 */
export const BODY = `'>' || m.body AS body`;
export const plainBody = (body: string): string => body.slice(1);

export const VIEW_COLUMNS = 's.seq, s.box, s.is_read, s.is_answered, m.envelope, m.body_preview';

/** Returns one message as one mailbox sees it. */
export function viewMessage({ envelope, ...row }: ViewRow): MailMessage {
  const ref = (id: string): string => makeMailRef(FLEET, id);
  return {
    message_ref: ref(envelope.message_id),
    thread_ref: ref(envelope.thread_id),
    in_reply_to_ref: envelope.in_reply_to === null ? null : ref(envelope.in_reply_to),
    created_at_utc: envelope.created_at_utc,
    subject: envelope.subject,
    read: row.is_read,
    answered: row.is_answered,
    archived: row.box === ARCHIVE,
    unread: !row.is_read,
    box: row.box,
    body_preview: row.body_preview,
    ...(row.body == null ? {} : { body_text: plainBody(row.body) }),
    ...expectedAnswer(envelope.headers),
    sender: asParticipant(envelope.from),
    to: envelope.to.map(asParticipant),
    cc: envelope.cc.map(asParticipant),
    reply_to: envelope.reply_to.map(asParticipant),
    attachments: envelope.attachments.map(viewAttachment),
  };
}

function viewAttachment({
  attachment_id,
  media_type,
  size_bytes,
  sha256,
  label,
}: DocumentAttachment): MailAttachment {
  return {
    attachment_id,
    kind: 'transport_owned',
    media_type,
    ...(size_bytes === undefined ? {} : { size_bytes }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(label === undefined ? {} : { label }),
  };
}
