import { type CodeOf, codesWith } from '../table.ts';

interface StateRow {
  /** Something is still to be done for it. */
  open: boolean;
  words: string;
}

/** How far a notice is. `ending`: it was sent, its need is over, and it is to be taken back. */
export const NOTICE_STATES = {
  waiting: { open: true, words: 'not sent yet' },
  sent: { open: true, words: 'sent' },
  ending: { open: true, words: 'sent, being taken back' },
  over: { open: false, words: 'sent, and over' },
  unneeded: { open: false, words: 'over before it was sent' },
} as const satisfies Record<string, StateRow>;

export type NoticeState = CodeOf<typeof NOTICE_STATES>;

export const OPEN_NOTICES = codesWith(NOTICE_STATES, 'open');

/** What is recorded about a notice, in order. */
export const NOTICE_STEPS = {
  stored: { words: 'stored' },
  tried: { words: 'tried' },
  failed: { words: 'failed' },
  sent: { words: 'sent' },
  repeated: { words: 'sent again' },
  over: { words: 'over' },
  taken_back: { words: 'taken back' },
} as const satisfies Record<string, { words: string }>;

export type NoticeStep = CodeOf<typeof NOTICE_STEPS>;
