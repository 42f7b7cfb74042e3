import {
  ARCHIVE,
  asParticipant,
  bodyPreview,
  expectedAnswer,
  type MailMessage,
  makeMailRef,
} from '../../../src/domain/index.ts';
import { type MemoryEntry, TRANSPORT } from './memory-store.ts';

export function viewEntry({ document, box, read, answered }: MemoryEntry, withBody: boolean): MailMessage {
  return {
    message_ref: makeMailRef(TRANSPORT, document.message_id),
    thread_ref: makeMailRef(TRANSPORT, document.thread_id),
    in_reply_to_ref: document.in_reply_to === null ? null : makeMailRef(TRANSPORT, document.in_reply_to),
    created_at_utc: document.created_at_utc,
    subject: document.subject,
    read,
    answered,
    archived: box === ARCHIVE,
    unread: !read,
    box,
    body_preview: bodyPreview(document.body),
    ...(withBody ? { body_text: document.body } : {}),
    ...expectedAnswer(document.headers),
    sender: asParticipant(document.from),
    to: document.to.map(asParticipant),
    cc: document.cc.map(asParticipant),
    reply_to: document.reply_to.map(asParticipant),
    attachments: [],
  };
}
