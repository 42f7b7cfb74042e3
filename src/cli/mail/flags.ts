import { ANSWERED_STATES, READ_STATES } from '../../domain/index.ts';
import type { Flag } from '../command.ts';
import { BODY_FLAGS } from '../input/body-text.ts';
import { notBlank, utcTime, wholeNumber } from '../input/flag-values.ts';

export const BOX: Flag = { name: 'box', value: 'BOX', summary: 'the box it must be in', parse: notBlank };

export const MESSAGE_REF: Flag = {
  name: 'message-ref',
  value: 'REF',
  summary: 'which message, as list and search show it',
  required: true,
  parse: notBlank,
};

export const MESSAGE_REFS: Flag = { ...MESSAGE_REF, summary: 'which message; may be repeated', many: true };

export const READ_STATE: Flag = {
  name: 'read-state',
  value: 'STATE',
  summary: 'only read or unread ones',
  choices: READ_STATES,
};

export const ANSWERED_STATE: Flag = {
  name: 'answered-state',
  value: 'STATE',
  summary: 'only answered or unanswered ones',
  choices: ANSWERED_STATES,
};

export const ARCHIVED_STATE: Flag = {
  name: 'archived',
  summary: 'only archived mail; --not-archived for the rest',
  negatable: true,
  opposite: 'not-archived',
};

export const SINCE: Flag = {
  name: 'since',
  value: 'TIME',
  summary: 'not older than this, for example 2026-01-31T12:00:00Z',
  parse: utcTime,
};

export const LIMIT: Flag = {
  name: 'limit',
  value: 'N',
  summary: 'maximum number to show',
  parse: wholeNumber(1),
};

export const CURSOR: Flag = {
  name: 'cursor',
  value: 'CURSOR',
  summary: 'next page: the cursor printed with the previous page',
  parse: notBlank,
};

export const INCLUDE_BODY: Flag = { name: 'include-body', summary: 'with the bodies' };

export const SUBJECT: Flag = {
  name: 'subject',
  value: 'TEXT',
  summary: 'one line',
  required: true,
  parse: notBlank,
};

/** Of every message that is written. */
export const OUTGOING_FLAGS: Flag[] = [
  ...BODY_FLAGS,
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
];
