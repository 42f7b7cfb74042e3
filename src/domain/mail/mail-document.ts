import { sha256 } from '../../base/index.ts';
import { ORIGIN_HEADER, REPLY_POLICY_HEADER } from '../../wire/houmao/index.ts';
import type { DocumentAttachment } from './mail-attachment.ts';
import type { MailPrincipal } from './mail-principal.ts';

/** The mailbox protocol of this build. */
export const MAIL_PROTOCOL_VERSION = 1;

/** One immutable message as stored: written once, never changed, the same for every recipient. */
export interface MailDocument {
  protocol_version: typeof MAIL_PROTOCOL_VERSION;
  message_id: string;
  /** Its own id if it starts a thread. */
  thread_id: string;
  in_reply_to: string | null;
  /** Empty if it starts a thread; otherwise ends with in_reply_to. */
  references: string[];
  /** Whole seconds, `Z`. */
  created_at_utc: string;
  from: MailPrincipal;
  to: MailPrincipal[];
  cc: MailPrincipal[];
  reply_to: MailPrincipal[];
  subject: string;
  attachments: DocumentAttachment[];
  headers: Record<string, unknown>;
  body: string;
}

/** The header that keeps the caller's idempotency key with the message, so that a rebuilt index has it too. */
export const IDEMPOTENCY_HEADER = 'x-rouse-idempotency-key';

/** The header of mail that waits for an answer: `yes`, or the time by which it is needed. */
export const EXPECTS_ANSWER_HEADER = 'x-rouse-expects-answer';

/** What a message says about the answer it waits for, as views and requests have it. */
export interface ExpectedAnswer {
  expects_answer?: true;
  answer_by?: string;
}

export function expectedAnswer(headers: MailDocument['headers']): ExpectedAnswer {
  const { [EXPECTS_ANSWER_HEADER]: expects } = headers;
  if (typeof expects !== 'string') return {};
  return { expects_answer: true, ...(!Number.isNaN(Date.parse(expects)) && { answer_by: expects }) };
}

/**
 * What makes two sends with one key the same: everything from the caller, nothing that the store added. The date, the
 * ids and the place of a copy do not count.
 */
export function contentDigest(message: MailDocument): string {
  const content = [
    message.from.address,
    message.to.map(({ address }) => address),
    message.cc.map(({ address }) => address),
    message.reply_to.map(({ address }) => address),
    message.subject,
    message.in_reply_to,
    message.headers[ORIGIN_HEADER] ?? null,
    message.headers[REPLY_POLICY_HEADER] ?? null,
    message.attachments.map(({ kind, path, sha256, label }) => [
      kind,
      kind === 'path_ref' ? path : null,
      sha256 ?? null,
      label ?? null,
    ]),
    message.body,
    ...(EXPECTS_ANSWER_HEADER in message.headers ? [message.headers[EXPECTS_ANSWER_HEADER]] : []),
  ];
  return sha256(JSON.stringify(content));
}

/** Whose key it is. Senders do not share keys, and a post into a mailbox is not that mailbox's own send. */
export function idempotencyScope(message: MailDocument): string {
  return message.headers[ORIGIN_HEADER] === 'operator'
    ? `post:${message.to[0]!.address}`
    : `send:${message.from.address}`;
}

/** Everyone who gets a copy: `to`, then `cc`, each address once. */
export function recipientsOf(message: MailDocument): MailDocument['to'] {
  const seen = new Set<string>();
  return [...message.to, ...message.cc].filter(({ address }) => !seen.has(address) && seen.add(address));
}
