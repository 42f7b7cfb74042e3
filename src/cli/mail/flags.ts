import { ANSWERED_STATES, READ_STATES } from '../../domain/index.ts';
import type { Flag } from '../command.ts';
import { BODY_FLAGS } from '../input/body-text.ts';
import { aheadTime, notBlank, sinceTime, wholeNumber } from '../input/flag-values.ts';

export const BOX = {
  name: 'box',
  value: 'BOX',
  summary: 'the box it must be in',
  parse: notBlank,
} as const satisfies Flag;

export const MESSAGE_REF = {
  name: 'message-ref',
  value: 'REF',
  names: 'message',
  summary: 'which message, as list and search show it',
  required: true,
  parse: notBlank,
} as const satisfies Flag;

export const MESSAGE_REFS = {
  ...MESSAGE_REF,
  summary: 'which message; may be repeated',
  many: true,
} as const satisfies Flag;

export const READ_STATE = {
  name: 'read-state',
  value: 'STATE',
  summary: 'only read or unread mail',
  choices: READ_STATES,
} as const satisfies Flag;

export const ANSWERED_STATE = {
  name: 'answered-state',
  value: 'STATE',
  summary: 'only answered or unanswered mail',
  choices: ANSWERED_STATES,
} as const satisfies Flag;

export const ARCHIVED_STATE = {
  name: 'archived',
  summary: 'only archived mail; --not-archived for the rest',
  negatable: true,
  opposite: 'not-archived',
} as const satisfies Flag;

export const SINCE = {
  name: 'since',
  value: 'TIME',
  summary: 'not older than this: 7d, 12h, 30m, a date, or a time such as 2026-01-31T12:00:00Z',
  parse: (text: string) => sinceTime(text),
} as const satisfies Flag;

export const LIMIT = {
  name: 'limit',
  value: 'N',
  summary: 'maximum number to show',
  parse: wholeNumber(1),
} as const satisfies Flag;

export const CURSOR = {
  name: 'cursor',
  value: 'CURSOR',
  summary: 'next page: the cursor printed with the previous page',
  parse: notBlank,
} as const satisfies Flag;

export const INCLUDE_BODY = {
  name: 'include-body',
  summary: 'include the message bodies',
} as const satisfies Flag;

export const SUBJECT = {
  name: 'subject',
  value: 'TEXT',
  summary: 'subject, one line',
  required: true,
  parse: notBlank,
} as const satisfies Flag;

export const HOLD = {
  name: 'hold',
  summary: 'if the server that keeps the mailbox is away, keep the message here and send it when it is back',
} as const satisfies Flag;

/** The sender waits for an answer. */
export const ANSWER_FLAGS = [
  { name: 'expects-answer', summary: 'you wait for an answer: "rouse waits" lists it until it is answered' },
  {
    name: 'by',
    value: 'TIME',
    summary: 'when you need the answer, in 2h, 30m or 1d, or a time; implies --expects-answer',
    parse: (text: string) => aheadTime(text),
  },
] as const satisfies readonly Flag[];

/** Flags of every command that writes a message, besides its text. */
export const ATTACHMENT_FLAGS = [
  { name: 'attach', value: 'FILE', summary: 'refer to this file; may be repeated', many: true },
  {
    name: 'attach-copy',
    value: 'FILE',
    summary: 'keep a copy of this file with the mail; may be repeated',
    many: true,
  },
  {
    name: 'idempotency-key',
    value: 'KEY',
    summary: 'a retry with the same key and content is the same message',
    parse: notBlank,
  },
  ...ANSWER_FLAGS,
] as const satisfies readonly Flag[];

export const OUTGOING_FLAGS = [...BODY_FLAGS, ...ATTACHMENT_FLAGS] as const satisfies readonly Flag[];
