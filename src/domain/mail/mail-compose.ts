import { unsupported, utcSeconds } from '../../base/index.ts';
import { ORIGIN_HEADER, REPLY_POLICY_HEADER } from '../../wire/houmao/index.ts';
import { parseUtcTime } from '../utc-time.ts';
import type { DocumentAttachment } from './mail-attachment.ts';
import {
  EXPECTS_ANSWER_HEADER,
  IDEMPOTENCY_HEADER,
  MAIL_PROTOCOL_VERSION,
  type MailDocument,
} from './mail-document.ts';
import { type MailPrincipal, OPERATOR } from './mail-principal.ts';
import { newMessageId } from './mail-ref.ts';
import type { MailPost } from './operations.ts';

interface MailParts {
  at: Date;
  attachments?: DocumentAttachment[];
  idempotency_key?: string | null | undefined;
  expects_answer?: boolean | undefined;
  answer_by?: string | null | undefined;
}

interface NewThread extends MailParts {
  from: MailPrincipal;
  to: MailPrincipal[];
  cc: MailPrincipal[];
  subject: string;
  body: string;
}

/** A message that starts a thread. */
export function composeMail(parts: NewThread): MailDocument {
  const id = newMessageId(parts.at);
  return {
    protocol_version: MAIL_PROTOCOL_VERSION,
    message_id: id,
    thread_id: id,
    in_reply_to: null,
    references: [],
    created_at_utc: utcSeconds(parts.at),
    from: parts.from,
    to: parts.to,
    cc: parts.cc,
    reply_to: [],
    subject: parts.subject,
    attachments: parts.attachments ?? [],
    headers: ownHeaders(parts),
    body: parts.body,
  };
}

/** A note of the operator into one mailbox. */
export function composePost(
  parts: MailParts & { to: MailPrincipal; post: Pick<MailPost, 'subject' | 'body_content' | 'reply_policy'> },
): MailDocument {
  const { subject, body_content: body, reply_policy: policy = 'operator_mailbox' } = parts.post;
  const mail = composeMail({ ...parts, from: { ...OPERATOR }, to: [parts.to], cc: [], subject, body });
  return {
    ...mail,
    reply_to: policy === 'operator_mailbox' ? [{ ...OPERATOR }] : [],
    headers: { [ORIGIN_HEADER]: 'operator', [REPLY_POLICY_HEADER]: policy, ...mail.headers },
  };
}

/** A reply to those whom the parent names in reply_to, else to its sender. Never to all recipients. */
export function composeReply(
  parts: MailParts & { from: MailPrincipal; parent: MailDocument; body: string },
): MailDocument {
  const { parent } = parts;
  const mail = composeMail({
    ...parts,
    to: replyTargets(parent),
    cc: [],
    subject: /^re:/i.test(parent.subject) ? parent.subject : `Re: ${parent.subject}`,
  });
  return {
    ...mail,
    thread_id: parent.thread_id,
    in_reply_to: parent.message_id,
    references: [...trimmed(parent.references), parent.message_id],
  };
}

const MAX_REFERENCES = 100;

/** Keeps the start of the thread and its latest steps, so that messages of a long thread do not grow. */
function trimmed(references: string[]): string[] {
  if (references.length < MAX_REFERENCES) return references;
  return [references[0]!, ...references.slice(2 - MAX_REFERENCES)];
}

/** Returns who a reply goes to; `unsupported` if the operator's note accepts none. An unknown policy means none. */
export function replyTargets(parent: MailDocument): MailPrincipal[] {
  const fromOperator = parent.headers[ORIGIN_HEADER] === 'operator';
  if (fromOperator && parent.headers[REPLY_POLICY_HEADER] !== 'operator_mailbox') {
    throw unsupported('this operator note takes no replies (reply policy none)', {
      hint: 'do what it asks and archive it',
    });
  }
  return parent.reply_to.length > 0 ? parent.reply_to : [parent.from];
}

function ownHeaders({ idempotency_key: key, expects_answer, answer_by }: MailParts): MailDocument['headers'] {
  const by = answer_by == null ? undefined : parseUtcTime(answer_by);
  const expects = by === undefined ? expects_answer && 'yes' : utcSeconds(new Date(by));
  return {
    ...(key != null && { [IDEMPOTENCY_HEADER]: key }),
    ...(expects && { [EXPECTS_ANSWER_HEADER]: expects }),
  };
}
